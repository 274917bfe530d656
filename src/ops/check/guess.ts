import type { Settings } from '../../settings/schema.ts';
import type { Evidence } from './evidence.ts';
import type { Look } from './look.ts';
import type { GuessResult } from './report.ts';

/** What the evidence says of a guess. `value` is what to set where the setting in use does not fit. */
export type Judgement = Pick<GuessResult, 'verdict' | 'observed' | 'value'>;

/** One thing that the service's documents leave open. Pure data but for `judge`, which is a pure function. */
export interface Guess {
  readonly id: string;
  /** A sentence that is true when the guess is. */
  readonly guess: string;
  readonly setting?: `upstream.${keyof Settings['upstream']}`;
  readonly judge: (evidence: Evidence) => Judgement;
}

/** The evidence shows that it is so. */
export function confirmed(observed?: string): Judgement {
  return observed === undefined ? { verdict: 'confirmed' } : { verdict: 'confirmed', observed };
}

/** The evidence shows something else. */
export function refuted(observed: string, value?: string | number): Judgement {
  const judgement = { verdict: 'refuted', observed } as const;
  return value === undefined ? judgement : { ...judgement, value };
}

/** The evidence shows neither. */
export function unknown(why: string): Judgement {
  return { verdict: 'unknown', observed: why };
}

/** Judges what was seen; what was not seen proves nothing. */
export function judgeSeen<T>(look: Look<T>, judge: (value: T) => Judgement): Judgement {
  switch (look.kind) {
    case 'seen':
      return judge(look.value);
    case 'failed':
      return unknown('it could not be read');
    case 'skipped':
      return unknown(look.why);
  }
}

/** Judges by the JSON types of a value that came several times: `want` everywhere, something else, or never seen. */
export function judgeTypes(values: readonly unknown[], want: string, none: string): Judgement {
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
