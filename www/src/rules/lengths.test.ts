// The length of functions, as tests/tidy.rs holds it for Rust: at most 70 lines, and 150 for one that returns JSX.
import { type ESTree, parseSync } from 'vite';
import { expect, test } from 'vitest';

const MOST_LINES = 70;
const MOST_LINES_OF_JSX = 150;
/** Functions that are still too long. Remove an entry once its function fits. */
const EXCEPTIONS: readonly string[] = [];

type Sources = Readonly<Record<string, string>>;

const SOURCES: Sources = import.meta.glob<string>('/src/**/*.{ts,tsx}', {
  query: '?raw',
  import: 'default',
  eager: true,
});

type Func = ESTree.Function | ESTree.ArrowFunctionExpression;

function isNode(value: unknown): value is ESTree.Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function children(node: ESTree.Node): readonly ESTree.Node[] {
  return Object.values(node)
    .flatMap((value: unknown): unknown[] => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

function isFunction(node: ESTree.Node): node is Func {
  return ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);
}

/** Whether a value is JSX: an element, or a choice with one in it. */
function isJsx(node: ESTree.Node | null | undefined): boolean {
  switch (node?.type) {
    case 'JSXElement':
    case 'JSXFragment':
      return true;
    case 'ParenthesizedExpression':
      return isJsx(node.expression);
    case 'ConditionalExpression':
      return isJsx(node.consequent) || isJsx(node.alternate);
    case 'LogicalExpression':
      return isJsx(node.right);
    default:
      return false;
  }
}

/** Whether a statement of a function returns JSX; inner functions are checked separately. */
function returnsJsx(node: ESTree.Node): boolean {
  if (node.type === 'ReturnStatement') return isJsx(node.argument);
  return !isFunction(node) && children(node).some(returnsJsx);
}

function isComponent(func: Func): boolean {
  return func.body !== null && (isJsx(func.body) || returnsJsx(func.body));
}

/** The functions of a file that are too long, by path and name. */
function longIn(path: string, text: string): readonly string[] {
  const long: string[] = [];
  const visit = (node: ESTree.Node, name: string): void => {
    if (isFunction(node)) {
      const lines = text.slice(node.start, node.end).split('\n').length;
      const most = path.endsWith('.tsx') && isComponent(node) ? MOST_LINES_OF_JSX : MOST_LINES;
      if (lines > most) long.push(`${path} ${node.id?.name ?? name}: ${lines} lines, at most ${most}`);
    }
    for (const child of children(node)) visit(child, nameGiven(node) ?? name);
  };
  visit(parseSync(path, text).program, '(no name)');
  return long;
}

/** The name that a variable, method or property gives the function within it. */
function nameGiven(node: ESTree.Node): string | undefined {
  if (node.type === 'VariableDeclarator') return node.id.type === 'Identifier' ? node.id.name : undefined;
  if (node.type === 'MethodDefinition' || node.type === 'Property')
    return node.key.type === 'Identifier' ? node.key.name : undefined;
  if (node.type === 'FunctionDeclaration') return node.id?.name;
  return undefined;
}

function longFunctions(sources: Sources): readonly string[] {
  return Object.entries(sources).flatMap(([path, text]) => longIn(path.replace('/src/', ''), text));
}

test('no function is longer than 70 lines, and none that returns JSX longer than 150', () => {
  expect(Object.keys(SOURCES).length).toBeGreaterThan(80);
  const long = longFunctions(SOURCES);
  const named = (name: string): boolean => long.some((l) => l.startsWith(`${name}:`));
  expect(long.filter((l) => !EXCEPTIONS.some((name) => l.startsWith(`${name}:`)))).toEqual([]);
  expect(EXCEPTIONS.filter((name) => !named(name))).toEqual([]);
  // Every file is parsed, which takes as long as the machine is busy.
}, 120_000);

const lines = (count: number): string => 'work();\n'.repeat(count);

test.each([
  ['/src/a.ts', `function long() {\n${lines(69)}}`, 'long: 71 lines, at most 70'],
  ['/src/a.ts', `const long = () => {\n${lines(69)}};`, 'long: 71 lines, at most 70'],
  ['/src/a.ts', `class A {\n  long() {\n${lines(69)}  }\n}`, 'long: 71 lines, at most 70'],
  ['/src/a.ts', `test('is', () => {\n${lines(69)}});`, '(no name): 71 lines, at most 70'],
  ['/src/a.tsx', `function One() {\n${lines(148)}return a ? undefined : <p />;\n}`, 'One: 151 lines, at most 150'],
  ['/src/a.tsx', `function none() {\nconst B = () => <p />;\n${lines(69)}}`, 'none: 72 lines, at most 70'],
])('a function that is too long is caught: %s', (path, text, expected) => {
  expect(longFunctions({ [path]: text })).toEqual([`${path.slice('/src/'.length)} ${expected}`]);
});

test.each([
  ['/src/a.ts', `function fits() {\n${lines(68)}}`],
  ['/src/a.tsx', `const Fits = () => {\n${lines(147)}return (<p />);\n};`],
])('a function that fits is not: %s', (path, text) => {
  expect(longFunctions({ [path]: text })).toEqual([]);
});
