import { connectionGuesses } from './connection-guesses.ts';
import type { Evidence } from './evidence.ts';
import { groupGuesses } from './group-guesses.ts';
import type { Guess } from './guess.ts';
import { listGuesses } from './list-guesses.ts';
import { peopleGuesses } from './people-guesses.ts';
import type { GuessResult } from './report.ts';
import { writeGuesses } from './write-guesses.ts';

const guesses: readonly Guess[] = [
  ...connectionGuesses,
  ...peopleGuesses,
  ...groupGuesses,
  ...listGuesses,
  ...writeGuesses,
];

/** Every guess with what the evidence says of it; pure. */
export function listGuessResults(evidence: Evidence): GuessResult[] {
  return guesses.map(({ judge, ...guess }) => ({ ...guess, ...judge(evidence) }));
}
