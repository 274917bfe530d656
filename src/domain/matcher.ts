import { foldCase } from './fold.ts';

/** True when any of the texts matches any pattern; `*` stands for any text, case does not matter. */
export type Matcher = (texts: readonly (string | null | undefined)[]) => boolean;

/** Compiles the patterns of a setting once. */
export function createMatcher(patterns: readonly string[]): Matcher {
  const matches = patterns.map(toTest);
  const isMatch = (folded: string) => matches.some((match) => match(folded));
  return (texts) => texts.some((text) => text && isMatch(foldCase(text)));
}

/**
 * Compiles a pattern, in which only `*` is special. Each part is looked for once, from where the one before it ended: a
 * regular expression would try every combination, and names can be long.
 */
function toTest(pattern: string): (folded: string) => boolean {
  const [head = '', ...parts] = foldCase(pattern).split(/\*+/);
  const tail = parts.pop();
  if (tail === undefined) return (text) => text === head;
  return (text) => {
    if (!text.startsWith(head)) return false;
    let end = head.length;
    for (const part of parts) {
      const start = text.indexOf(part, end);
      if (start < 0) return false;
      end = start + part.length;
    }
    return text.length - tail.length >= end && text.endsWith(tail);
  };
}
