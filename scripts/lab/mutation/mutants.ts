import ts from 'typescript';
import type { Random } from '../../../test/support/input/random.js';

/** A change of one place of a source that a test should notice. */
export interface Mutant {
  readonly file: string;
  /** Offsets of the text that it replaces. */
  readonly start: number;
  readonly end: number;
  /** The expression that is evaluated instead; `undefined` for a statement that is left out. */
  readonly replacement: string | undefined;
}

const opposites = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.QuestionQuestionToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
]);

/** The mutants of a source: conditions, comparisons, operators, literals and calls, as StrykerJS changes them. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const add = (node: ts.Node, replacement: string | undefined) =>
    found.push({ file, start: node.getStart(source), end: node.getEnd(), replacement });
  const visit = (node: ts.Node): void => {
    // Types, imports and keys have no value.
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      add(condition, 'true');
      add(condition, 'false');
    }
    if (ts.isBinaryExpression(node)) {
      const opposite = opposites.get(node.operatorToken.kind);
      const [left, right] = [node.left.getText(source), node.right.getText(source)];
      if (opposite !== undefined) add(node, `(${left}) ${opposite} (${right})`);
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      add(node, node.operand.getText(source));
    }
    if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true');
    if (ts.isStringLiteral(node) && node.text !== '' && isValue(node)) add(node, "''");
    if (ts.isNumericLiteral(node) && isValue(node)) add(node, `(${node.text} + 1)`);
    if (ts.isArrayLiteralExpression(node) && node.elements.length > 0 && isValue(node)) add(node, '[]');
    if (ts.isExpressionStatement(node) && ts.isCallExpression(unawaited(node.expression)))
      add(node, undefined);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Chooses mutants in the same way each time. */
export function choose(mutants: readonly Mutant[], count: number, random: Random): Mutant[] {
  const rest = [...mutants];
  const chosen: Mutant[] = [];
  while (chosen.length < count && rest.length > 0) chosen.push(...rest.splice(random.upTo(rest.length), 1));
  return chosen.sort((a, b) => a.file.localeCompare(b.file) || a.start - b.start || a.end - b.end);
}

/**
 * The source with all its mutants, each of which is switched on by its number. `isMutant(n)` also records that the place was
 * reached.
 */
export function instrument(text: string, mutants: readonly (Mutant & { readonly number: number })[]): string {
  const nested = (
    start: number,
    end: number,
    outer: readonly (Mutant & { readonly number: number })[],
  ): string => {
    let result = '';
    let position = start;
    while (position < end) {
      const next = outer
        .filter((mutant) => mutant.start >= position && mutant.end <= end)
        .sort((a, b) => a.start - b.start || b.end - a.end)[0];
      if (next === undefined) break;
      result += text.slice(position, next.start);
      const same = outer.filter(({ start, end }) => start === next.start && end === next.end);
      const inner = outer.filter((mutant) => !same.includes(mutant));
      let code = nested(next.start, next.end, inner);
      for (const { number, replacement } of same) {
        code =
          replacement === undefined
            ? `{ if (!isMutant(${number})) { ${code} } }`
            : `(isMutant(${number}) ? (${replacement}) : (${code}))`;
      }
      result += code;
      position = next.end;
    }
    return result + text.slice(position, end);
  };
  // A declaration, because the source calls it while it is loaded.
  return `${nested(0, text.length, mutants)}\nfunction isMutant(number) { return globalThis.isMutant?.(number) ?? false; }\n`;
}

/** Whether a literal is a value that runs, and not a key, a type or a part of another syntax. */
function isValue(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)) return parent.initializer === node;
  return !(
    ts.isLiteralTypeNode(parent) ||
    ts.isEnumMember(parent) ||
    ts.isModuleDeclaration(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isArrayBindingPattern(parent) ||
    ts.isJsxAttribute(parent) ||
    (ts.isBinaryExpression(parent) &&
      parent.left === node &&
      parent.operatorToken.kind === ts.SyntaxKind.EqualsToken)
  );
}

function unawaited(expression: ts.Expression): ts.Expression {
  return ts.isAwaitExpression(expression) ? expression.expression : expression;
}
