import { connectionGuesses } from './connection-guesses.ts';
import type { Evidence } from './evidence.ts';
import { groupGuesses } from './group-guesses.ts';
import type { Guess } from './guess.ts';
import { listGuesses } from './list-guesses.ts';
import type { CheckResult, GuessResult } from './report.ts';
import { userGuesses } from './user-guesses.ts';
import { writeGuesses } from './write-guesses.ts';

const guesses: readonly Guess[] = [
  ...connectionGuesses,
  ...userGuesses,
  ...groupGuesses,
  ...listGuesses,
  ...writeGuesses,
];

/** Every guess with what the evidence says of it; pure. */
export function listGuessResults(evidence: Evidence): GuessResult[] {
  return guesses.map(({ classify, ...guess }) => ({ ...guess, ...classify(evidence) }));
}

/**
 * Checks for settings that were fixed by hand and contradict the service. `auto` finds out by itself, and a page
 * size that is too large only costs calls; a wrong group id would write to another group.
 */
export function listSettingChecks(
  { settings }: Evidence,
  guesses: readonly GuessResult[],
): CheckResult[] {
  const found = guesses.find(({ id }) => id === 'group-scim-id')?.value;
  const set = settings.groupScimId;
  if (found === undefined || set === 'auto' || found === set) return [];
  return [
    {
      id: 'settings.groupScimId',
      title: 'upstream.groupScimId',
      status: 'failed',
      detail: `set to ${set}, which is not what the service shows: groups would be mixed up`,
      remedy: `Set it to ${found}, or to auto.`,
    },
  ];
}
