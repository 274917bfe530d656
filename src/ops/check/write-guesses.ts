import type { Evidence } from './evidence.ts';
import { type Guess, unknown, type Verdict } from './guess.ts';

/** Guesses that only a write could prove; the bridge finds out with its first writes, or is told by the settings. */
export const writeGuesses: readonly Guess[] = [
  {
    id: 'email-form',
    guess: 'creating a person takes e-mail addresses as strings or as objects',
    setting: 'upstream.emailForm',
    classify: ({ settings }) => classifyWrite(settings.emailForm),
  },
  {
    id: 'name-on-create',
    guess: 'creating a person takes the name',
    setting: 'upstream.nameOnCreate',
    classify: ({ settings }) => classifyWrite(settings.nameOnCreate),
  },
  {
    id: 'user-name-updates',
    guess: 'a changed userName is refused',
    setting: 'upstream.userNameUpdates',
    classify: ({ settings }) => classifyWrite(settings.userNameUpdates),
  },
  {
    id: 'member-form',
    guess: 'one PATCH of a group takes many operations with one numeric id each',
    setting: 'upstream.memberForm',
    classify: ({ settings }) => classifyWrite(settings.memberForm),
  },
  {
    id: 'members-per-call',
    guess: 'one PATCH of a group takes as many members as are set',
    setting: 'upstream.membersPerCall',
    classify: ({ settings }) => classifyWrite(settings.membersPerCall),
  },
  {
    id: 'inactive-members',
    guess: 'deactivated people stay members and can become members',
    classify: onlyAWriteShows,
  },
  {
    id: 'group-creator',
    guess: 'who creates a group does not become its administrator',
    classify: onlyAWriteShows,
  },
];

function classifyWrite(set: string | number): Verdict {
  return unknown(`only a write shows it; set to ${set}`);
}

function onlyAWriteShows(_: Evidence): Verdict {
  return unknown('only a write shows it');
}
