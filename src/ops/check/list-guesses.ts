import type { Evidence } from './evidence.ts';
import {
  classifySeen,
  classifyTypes,
  confirmed,
  type Guess,
  refuted,
  unknown,
  type Verdict,
} from './guess.ts';
import { findField, type ListSample } from './list-sample.ts';
import type { Look } from './look.ts';
import { toPageLimit, toSecondEntry } from './page-limit.ts';

/** Guesses about pages and the audit log. */
export const listGuesses: readonly Guess[] = [
  {
    id: 'page-size',
    guess: 'every list takes pages of the size that is set',
    setting: 'upstream.pageSize',
    classify: classifyPageSize,
  },
  {
    id: 'people-paging',
    guess: 'lists of people honour startIndex, from 1, and count',
    classify: ({ survey: { users } }) => classifyPaging(users.list),
  },
  {
    id: 'groups-paging',
    guess: 'lists of groups honour startIndex, from 1, and count',
    classify: ({ survey: { groups } }) => classifyPaging(groups.scimList),
  },
  {
    id: 'company-users-paging',
    guess: 'limit and offset of company users work without for_members_section',
    classify: ({ survey: { company } }) => classifyPaging(company.users),
  },
  {
    id: 'company-users-page',
    guess: 'a page of company users holds 100 at most',
    classify: ({ survey: { company } }) => classifyPageLimit(company.users, 100),
  },
  {
    id: 'take-licence',
    guess: 'company users say by take_licence who takes a seat',
    classify: ({ survey: { company } }) =>
      classifySeen(company.users, ({ raw }) =>
        raw.some((user) => findField(user, 'take_licence') !== undefined)
          ? confirmed()
          : refuted('it is not there: who is active and has a licence is counted'),
      ),
  },
  {
    id: 'audit-page',
    guess: 'a page of the audit log holds 500 at most',
    classify: ({ survey: { company } }) => classifyPageLimit(company.audit, 500),
  },
  {
    id: 'audit-order',
    guess: 'the audit log shows the newest event first',
    classify: classifyAuditOrder,
  },
  {
    id: 'audit-details',
    guess: 'details of audit events are objects',
    classify: ({ survey: { company } }) =>
      classifySeen(company.audit, ({ raw }) =>
        classifyTypes(
          raw.map((event) => findField(event, 'details') ?? undefined).filter((each) => each),
          'object',
          'no event has details',
        ),
      ),
  },
];

/** Refuted by the smallest page that was cut below the setting; confirmed when every list showed a page that large. */
function classifyPageSize({ survey, settings: { pageSize } }: Evidence): Verdict {
  const { users, groups, company } = survey;
  const looks = [users.list, groups.scimList, groups.restList, company.users, company.audit];
  const samples = looks.flatMap((look: Look<ListSample<unknown>>) =>
    look.kind === 'seen' ? [look.value] : [],
  );
  const cut = samples.flatMap((sample) => {
    const limit = toPageLimit(sample);
    return limit.kind === 'limit' ? [limit.entries] : [];
  });
  const smallest = Math.min(...cut);
  if (smallest < pageSize) return refuted(`a page of ${smallest} was cut`, smallest);
  const isProved =
    looks.length === samples.length && samples.every(({ items }) => items.length >= pageSize);
  return isProved ? confirmed() : unknown('some lists are too short to tell');
}

function classifyPaging(look: Look<ListSample<unknown>>): Verdict {
  return classifySeen(look, (sample) => {
    switch (toSecondEntry(sample)) {
      case 'right':
        return confirmed();
      case 'offset-ignored':
        return refuted('the first entry came again');
      case 'limit-ignored':
        return refuted('more entries came than were asked for');
      case 'unknown':
        return unknown('the list is too short to tell');
    }
  });
}

function classifyPageLimit(look: Look<ListSample<unknown>>, want: number): Verdict {
  return classifySeen(look, (sample) => {
    const limit = toPageLimit(sample);
    switch (limit.kind) {
      case 'limit':
        return limit.entries === want ? confirmed() : refuted(`${limit.entries} at most`);
      case 'none-seen':
        return refuted(`${limit.asked} came on one page`);
      case 'complete':
      case 'unknown':
        return sample.items.length > want
          ? refuted(`${sample.items.length} came on one page`)
          : unknown('the list is too short to tell');
    }
  });
}

function classifyAuditOrder({ survey: { company } }: Evidence): Verdict {
  return classifySeen(company.audit, ({ items }) => {
    const timesMs = items.map(({ createdAt }) => createdAt.getTime());
    const [first] = timesMs;
    if (first === undefined || timesMs.every((timeMs) => timeMs === first)) {
      return unknown('there are too few events to tell');
    }
    if (isDescending(timesMs)) return confirmed();
    return isDescending(timesMs.toReversed()) ? refuted('the oldest first') : refuted('no order');
  });
}

function isDescending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => number <= (numbers[index - 1] ?? number));
}
