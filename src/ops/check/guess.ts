import type { Settings } from '../../settings/schema.ts';
import type { Evidence } from './evidence.ts';
import type { Look } from './look.ts';
import type { GuessResult } from './report.ts';

/** The verdict of the evidence on a guess. `value` is a setting that fits, where the one in use does not. */
export type Verdict = Pick<GuessResult, 'verdict' | 'observed' | 'value'>;

/** One thing that the service's documents leave open. Pure data but for `classify`, which is a pure function. */
export interface Guess {
  readonly id: string;
  /** A sentence that is true when the guess is. */
  readonly guess: string;
  readonly setting?: `upstream.${keyof Settings['upstream']}`;
  readonly classify: (evidence: Evidence) => Verdict;
}

/** The evidence shows that it is so. */
export function confirmed(observed?: string): Verdict {
  return observed === undefined ? { verdict: 'confirmed' } : { verdict: 'confirmed', observed };
}

/** The evidence shows something else. */
export function refuted(observed: string, value?: string | number): Verdict {
  const verdict = { verdict: 'refuted', observed } as const;
  return value === undefined ? verdict : { ...verdict, value };
}

/** The evidence shows neither. */
export function unknown(why: string): Verdict {
  return { verdict: 'unknown', observed: why };
}

/** Classifies an answer; without one nothing is proved. */
export function classifySeen<T>(look: Look<T>, classify: (value: T) => Verdict): Verdict {
  switch (look.kind) {
    case 'seen':
      return classify(look.value);
    case 'failed':
      return unknown('it could not be read');
    case 'skipped':
      return unknown(look.why);
  }
}

/** Classifies by the JSON types of a value that came several times: `want` everywhere, another type, or never seen. */
export function classifyTypes(values: readonly unknown[], want: string, none: string): Verdict {
  const types = new Set(values.map(toTypeName));
  if (types.size === 0) return unknown(none);
  const seen = [...types].toSorted().join(' and ');
  return seen === want ? confirmed(seen) : refuted(seen);
}

function toTypeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'string' ? 'text' : typeof value;
}
