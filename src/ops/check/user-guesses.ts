import {
  classifySeen,
  classifyTypes,
  confirmed,
  type Guess,
  refuted,
  unknown,
  type Verdict,
} from './guess.ts';
import { findField } from './list-sample.ts';
import type { FilterSurvey } from './survey-users.ts';

/** Guesses about users in SCIM. */
export const userGuesses: readonly Guess[] = [
  {
    id: 'user-id',
    guess: 'ids of people are numbers',
    classify: ({ survey: { users } }) =>
      classifySeen(users.list, ({ raw }) =>
        classifyTypes(
          raw.map((user) => findField(user, 'id')),
          'number',
          'there is nobody',
        ),
      ),
  },
  {
    id: 'email-shown',
    guess: 'e-mail addresses are shown as objects with a value',
    classify: ({ survey: { users } }) =>
      classifySeen(users.list, ({ raw }) =>
        classifyTypes(
          raw.flatMap((user) => toList(findField(user, 'emails'))),
          'object',
          'nobody shows an address',
        ),
      ),
  },
  {
    id: 'groups-of-people',
    guess: 'lists of people do not show their groups',
    classify: ({ survey: { users } }) =>
      classifySeen(users.list, ({ items }) => {
        if (items.length === 0) return unknown('there is nobody');
        return items.every(({ groupIds }) => groupIds === undefined)
          ? confirmed()
          : refuted('they do');
      }),
  },
  {
    id: 'groups-of-one',
    guess: 'a person looked at alone is shown with its groups',
    classify: ({ survey: { users } }) =>
      classifySeen(users.one, ({ groupIds }) =>
        groupIds === undefined ? refuted('without them') : confirmed(),
      ),
  },
  {
    id: 'filter',
    guess: 'lists of people honour a filter by userName',
    setting: 'upstream.filter',
    classify: ({ survey: { users } }) => classifyFilter(users.filter),
  },
];

/** Trusts a filter only after it found a known user and nothing for an impossible name. */
function classifyFilter({ userName, known, nonsense }: FilterSurvey): Verdict {
  for (const look of [nonsense, known]) {
    if (look.kind === 'failed' && look.error.code === 'refused') {
      return refuted(`refused with ${look.error.status ?? 'no status'}`, 'no');
    }
  }
  return classifySeen(nonsense, (strangers) => {
    if (strangers.length > 0) return refuted('ignored: it finds people of other names', 'no');
    return classifySeen(known, (found) => {
      const wanted = userName?.toLowerCase();
      const isRight = found.every((name) => name?.toLowerCase() === wanted);
      return isRight && found.length > 0
        ? confirmed()
        : refuted('it does not find somebody who is there', 'no');
    });
  });
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
