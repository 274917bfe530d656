import type { UpstreamError } from '../../upstream/errors.ts';
import type { Evidence } from './evidence.ts';
import { classifySeen, confirmed, type Guess, refuted, unknown, type Verdict } from './guess.ts';
import { toOtherVersion } from './survey.ts';

/** Guesses about versions, the rate limit and errors. */
export const connectionGuesses: readonly Guess[] = [
  {
    id: 'api-version',
    guess: 'REST answers the same under /api/latest and /api/v1',
    setting: 'upstream.apiVersion',
    classify: classifyApiVersion,
  },
  {
    id: 'current-user',
    guess: 'GET /users/current tells whose token it is',
    classify: ({ survey: { account } }) =>
      account.kind === 'failed' && account.error.code === 'not-found'
        ? refuted('it is not found')
        : classifySeen(account, () => confirmed()),
  },
  {
    id: 'rate-limit',
    guess: 'five requests a second are allowed',
    setting: 'upstream.requestsPerSecond',
    classify: classifyRateLimit,
  },
  {
    id: 'rate-headers',
    guess: 'every answer carries X-RateLimit-Remaining',
    classify: ({ traffic: { answers, withRemaining } }) => {
      if (answers === 0) return unknown('there was no answer');
      return withRemaining === answers
        ? confirmed()
        : refuted(`${withRemaining} of ${answers} answers`);
    },
  },
  {
    id: 'error-404',
    guess: 'a 404 has no body',
    classify: ({ survey }) => classifyErrorBody(listErrors(survey), 404, 'empty'),
  },
  {
    id: 'error-403',
    guess: 'a 403 has no body',
    classify: ({ survey }) => classifyErrorBody(listErrors(survey), 403, 'empty'),
  },
  {
    id: 'error-402',
    guess: 'a 402 (module not bought) has a JSON body with a message',
    classify: ({ survey }) => classifyErrorBody(listErrors(survey), 402, 'json'),
  },
];

function classifyApiVersion({ survey, settings }: Evidence): Verdict {
  const { account, otherVersion } = survey;
  const other = toOtherVersion(settings.apiVersion);
  const isSeen = account.kind === 'seen';
  if (isSeen && otherVersion.kind === 'seen') {
    return account.value.id === otherVersion.value.id
      ? confirmed()
      : refuted('the two show different accounts', settings.apiVersion);
  }
  if (isSeen && isNotFound(otherVersion)) {
    return refuted(`nothing is found under /api/${other}`, settings.apiVersion);
  }
  if (isNotFound(account) && otherVersion.kind === 'seen') {
    return refuted(`nothing is found under /api/${settings.apiVersion}`, other);
  }
  return unknown('the two could not be compared');
}

function isNotFound(look: Evidence['survey']['account']): boolean {
  return look.kind === 'failed' && look.error.code === 'not-found';
}

/**
 * Only `X-RateLimit-Limit` tells the limit. Without it the highest number that remained is one less than the limit, if no
 * other program used the token in that window: so it can confirm the guess, and never refute it.
 */
function classifyRateLimit({ traffic, settings }: Evidence): Verdict {
  const { limit, remainingMax } = traffic;
  if (limit !== undefined) {
    const observed = `X-RateLimit-Limit is ${limit}`;
    return limit === 5 ? confirmed(observed) : refuted(observed, limit);
  }
  if (traffic.rateLimited > 0) {
    const observed = `429 at ${settings.requestsPerSecond} a second; others may use the token too`;
    return unknown(observed);
  }
  if (remainingMax === 4) return confirmed('up to 4 remained');
  if (remainingMax === undefined) return unknown('no header tells it');
  return unknown(`up to ${remainingMax} remained, over a time that no header tells`);
}

function classifyErrorBody(
  errors: readonly UpstreamError[],
  status: number,
  want: 'empty' | 'json',
): Verdict {
  const kinds = new Set(
    errors.filter((error) => error.status === status).map((error) => error.body.kind),
  );
  if (kinds.size === 0) return unknown('none was met');
  const seen = [...kinds].toSorted().join(' and ');
  return seen === want ? confirmed(seen) : refuted(seen);
}

function listErrors({ account, users, groups, company }: Evidence['survey']): UpstreamError[] {
  const looks = [
    account,
    users.list,
    users.missing,
    groups.scimList,
    groups.restList,
    groups.members,
    groups.admins,
    company.users,
    company.audit,
  ];
  return looks.flatMap((look) => (look.kind === 'failed' ? [look.error] : []));
}
