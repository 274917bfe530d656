import type { Evidence } from './evidence.ts';
import {
  confirmed,
  type Guess,
  type Judgement,
  judgeSeen,
  judgeTypes,
  refuted,
  unknown,
} from './guess.ts';
import { findField, type ListSample } from './list-sample.ts';
import type { Look } from './look.ts';
import { toPageLimit, toSecondEntry } from './page-limit.ts';

/** What is guessed of pages and of the audit log. */
export const listGuesses: readonly Guess[] = [
  {
    id: 'page-size',
    guess: 'every list takes pages of the size that is set',
    setting: 'upstream.pageSize',
    judge: judgePageSize,
  },
  {
    id: 'people-paging',
    guess: 'lists of people honour startIndex, from 1, and count',
    judge: ({ survey: { people } }) => judgePaging(people.list),
  },
  {
    id: 'groups-paging',
    guess: 'lists of groups honour startIndex, from 1, and count',
    judge: ({ survey: { groups } }) => judgePaging(groups.scimList),
  },
  {
    id: 'company-users-paging',
    guess: 'limit and offset of company users work without for_members_section',
    judge: ({ survey: { company } }) => judgePaging(company.users),
  },
  {
    id: 'company-users-page',
    guess: 'a page of company users holds 100 at most',
    judge: ({ survey: { company } }) => judgePageLimit(company.users, 100),
  },
  {
    id: 'audit-page',
    guess: 'a page of the audit log holds 500 at most',
    judge: ({ survey: { company } }) => judgePageLimit(company.audit, 500),
  },
  {
    id: 'audit-order',
    guess: 'the audit log shows the newest event first',
    judge: judgeAuditOrder,
  },
  {
    id: 'audit-details',
    guess: 'details of audit events are objects',
    judge: ({ survey: { company } }) =>
      judgeSeen(company.audit, ({ raw }) =>
        judgeTypes(
          raw.map((event) => findField(event, 'details') ?? undefined).filter((each) => each),
          'object',
          'no event has details',
        ),
      ),
  },
];

/** Refuted by the smallest page that was cut below the setting; confirmed when every list showed a page that large. */
function judgePageSize({ survey, settings: { pageSize } }: Evidence): Judgement {
  const { people, groups, company } = survey;
  const looks = [people.list, groups.scimList, groups.restList, company.users, company.audit];
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

function judgePaging(look: Look<ListSample<unknown>>): Judgement {
  return judgeSeen(look, (sample) => {
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

function judgePageLimit(look: Look<ListSample<unknown>>, want: number): Judgement {
  return judgeSeen(look, (sample) => {
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

function judgeAuditOrder({ survey: { company } }: Evidence): Judgement {
  return judgeSeen(company.audit, ({ items }) => {
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
