import { foldCase } from './fold.ts';

/** Whether any of the texts matches any pattern; `*` stands for any text, case does not matter. */
export type Matcher = (texts: readonly (string | null | undefined)[]) => boolean;

/** Compiles the patterns of a setting once. */
export function createMatcher(patterns: readonly string[]): Matcher {
  const expressions = patterns.map(toExpression);
  return (texts) =>
    texts.some((text) => text && expressions.some((expression) => expression.test(foldCase(text))));
}

/** Everything but `*` is taken as it is. Linear: between two stars the match is lazy and never nested. */
function toExpression(pattern: string): RegExp {
  const literal = foldCase(pattern)
    .split(/\*+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*?')}$`, 'su');
}
