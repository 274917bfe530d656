import type { Evidence } from './evidence.ts';
import { connectionGuesses } from './guesses/connection-guesses.ts';
import { groupGuesses } from './guesses/group-guesses.ts';
import type { Guess } from './guesses/guess.ts';
import { listGuesses } from './guesses/list-guesses.ts';
import { peopleGuesses } from './guesses/people-guesses.ts';
import { writeGuesses } from './guesses/write-guesses.ts';
import type { GuessResult } from './report.ts';

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
