import {
  confirmed,
  type Guess,
  type Judgement,
  judgeSeen,
  judgeTypes,
  refuted,
  unknown,
} from './guess.ts';
import { findField } from './list-sample.ts';
import type { FilterSurvey } from './survey-people.ts';

/** What is guessed of people as SCIM shows them. */
export const peopleGuesses: readonly Guess[] = [
  {
    id: 'user-id',
    guess: 'ids of people are numbers',
    judge: ({ survey: { people } }) =>
      judgeSeen(people.list, ({ raw }) =>
        judgeTypes(
          raw.map((user) => findField(user, 'id')),
          'number',
          'there is nobody',
        ),
      ),
  },
  {
    id: 'email-shown',
    guess: 'e-mail addresses are shown as objects with a value',
    judge: ({ survey: { people } }) =>
      judgeSeen(people.list, ({ raw }) =>
        judgeTypes(
          raw.flatMap((user) => toList(findField(user, 'emails'))),
          'object',
          'nobody shows an address',
        ),
      ),
  },
  {
    id: 'groups-of-people',
    guess: 'lists of people do not show their groups',
    judge: ({ survey: { people } }) =>
      judgeSeen(people.list, ({ items }) => {
        if (items.length === 0) return unknown('there is nobody');
        return items.every(({ groupIds }) => groupIds === undefined)
          ? confirmed()
          : refuted('they do');
      }),
  },
  {
    id: 'groups-of-one',
    guess: 'a person looked at alone is shown with its groups',
    judge: ({ survey: { people } }) =>
      judgeSeen(people.one, ({ groupIds }) =>
        groupIds === undefined ? refuted('without them') : confirmed(),
      ),
  },
  {
    id: 'filter',
    guess: 'lists of people honour a filter by userName',
    setting: 'upstream.filter',
    judge: ({ survey: { people } }) => judgeFilter(people.filter),
  },
];

/** A filter is trusted only after it found somebody known and nothing for a name that nobody can have. */
function judgeFilter({ userName, known, nonsense }: FilterSurvey): Judgement {
  for (const look of [nonsense, known]) {
    if (look.kind === 'failed' && look.error.code === 'refused') {
      return refuted(`refused with ${look.error.status ?? 'no status'}`, 'no');
    }
  }
  return judgeSeen(nonsense, (strangers) => {
    if (strangers.length > 0) return refuted('ignored: it finds people of other names', 'no');
    return judgeSeen(known, (found) => {
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
