// The field of an expression, and the way to it from a named scorer: their code is loaded with the first.
import { lazy } from 'solid-js';
import type { Field } from '../../base/schema.ts';

export const ExpressionField = lazy(() => import('./ExpressionField.tsx'));
export const AsExpression = lazy(() => import('./AsExpression.tsx'));

/** Whether one of the choices of a field is an expression. */
export function canBeExpression(field: Field): boolean {
  return field.input.kind === 'choice' && field.input.options.some((option) => option.tag === 'expression');
}
