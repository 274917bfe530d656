import { foldCase } from './values.ts';

/** True when any of the texts matches any pattern; `*` stands for any text, case does not matter. */
export type Matcher = (texts: readonly (string | null | undefined)[]) => boolean;

/** The matcher of no patterns at all. */
export const MATCHES_NOTHING: Matcher = () => false;

/** Compiles the patterns of a setting once. */
export function createMatcher(patterns: readonly string[]): Matcher {
  if (patterns.length === 0) return MATCHES_NOTHING;
  const matches = patterns.map(toTest);
  const isMatch = (folded: string) => matches.some((match) => match(folded));
  return (texts) => texts.some((text) => text && isMatch(foldCase(text)));
}

/** Compiles a pattern with `*`, in linear time: a regular expression would try every combination. */
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
