// The field of an expression, and the button that opens a named scorer as one. Their code is loaded with the first.
import { lazy } from 'solid-js';
import type { Field } from '../../base/schema.ts';

export const ExpressionField = lazy(() => import('./ExpressionField.tsx'));
export const AsExpression = lazy(() => import('./AsExpression.tsx'));

/** Whether an expression is among the choices of a field. */
export function canBeExpression(field: Field): boolean {
  return field.input.kind === 'choice' && field.input.options.some((option) => option.tag === 'expression');
}
