import type { Evidence } from './evidence.ts';
import { type Guess, type Judgement, unknown } from './guess.ts';

/** What only a write could show; the bridge finds out with its first writes, or is told by the settings. */
export const writeGuesses: readonly Guess[] = [
  {
    id: 'email-form',
    guess: 'creating a person takes e-mail addresses as strings or as objects',
    setting: 'upstream.emailForm',
    judge: ({ settings }) => judgeWrite(settings.emailForm),
  },
  {
    id: 'name-on-create',
    guess: 'creating a person takes the name',
    setting: 'upstream.nameOnCreate',
    judge: ({ settings }) => judgeWrite(settings.nameOnCreate),
  },
  {
    id: 'user-name-updates',
    guess: 'a changed userName is refused',
    setting: 'upstream.userNameUpdates',
    judge: ({ settings }) => judgeWrite(settings.userNameUpdates),
  },
  {
    id: 'member-form',
    guess: 'one PATCH of a group takes many operations with one numeric id each',
    setting: 'upstream.memberForm',
    judge: ({ settings }) => judgeWrite(settings.memberForm),
  },
  {
    id: 'members-per-call',
    guess: 'one PATCH of a group takes as many members as are set',
    setting: 'upstream.membersPerCall',
    judge: ({ settings }) => judgeWrite(settings.membersPerCall),
  },
  {
    id: 'inactive-members',
    guess: 'deactivated people stay members and can become members',
    judge: onlyAWriteShows,
  },
  {
    id: 'group-creator',
    guess: 'who creates a group does not become its administrator',
    judge: onlyAWriteShows,
  },
];

function judgeWrite(set: string | number): Judgement {
  return unknown(`only a write shows it; set to ${set}`);
}

function onlyAWriteShows(_: Evidence): Judgement {
  return unknown('only a write shows it');
}
