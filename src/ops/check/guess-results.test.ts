import { expect, test } from 'vitest';
import { settingRows } from '../../settings/rows.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { Evidence } from './evidence.ts';
import { answered, toEvidence } from './evidence-for-test.ts';
import { findGroupIdForm } from './group-guesses.ts';
import { listGuessResults } from './guess-results.ts';
import { skipped } from './look.ts';
import { unseenUsers } from './survey-users.ts';

function classify(evidence: Evidence, id: string) {
  return listGuessResults(evidence).find((result) => result.id === id);
}

test('nothing seen proves nothing: every guess is unknown', () => {
  const results = listGuessResults(toEvidence({ traffic: { answers: 0 } }));

  expect(results.filter(({ verdict }) => verdict !== 'unknown')).toEqual([]);
});

test('ids are used once, and every setting that is named exists', () => {
  const results = listGuessResults(toEvidence({}));
  const names = settingRows.map(({ name }) => name);

  expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
  for (const { setting } of results) if (setting !== undefined) expect(names).toContain(setting);
});

const account = { kind: 'seen', value: parseCompanyUser({ id: 7 }) } as const;
const stranger = { kind: 'seen', value: parseCompanyUser({ id: 8 }) } as const;
const versions = [
  { why: 'both answer', survey: { account, otherVersion: account }, want: ['confirmed'] },
  {
    why: 'only the one in use answers',
    survey: { account, otherVersion: answered(404) },
    want: ['refuted', 'latest'],
  },
  {
    why: 'only the other answers',
    survey: { account: answered(404), otherVersion: account },
    want: ['refuted', 'v1'],
  },
  {
    why: 'they answer differently',
    survey: { account, otherVersion: stranger },
    want: ['refuted', 'latest'],
  },
  { why: 'one fails', survey: { account, otherVersion: answered(503) }, want: ['unknown'] },
];

for (const { why, survey, want } of versions) {
  test(`api-version: ${why}`, () => {
    const result = classify(toEvidence({ survey }), 'api-version');

    expect([result?.verdict, result?.value].filter((each) => each !== undefined)).toEqual(want);
  });
}

const rates = [
  { why: 'the header says five', traffic: { limit: 5 }, want: ['confirmed'] },
  { why: 'the header says ten', traffic: { limit: 10 }, want: ['refuted', 10] },
  { why: 'four remained of five', traffic: { remainingMax: 4 }, want: ['confirmed'] },
  { why: 'fewer remained: others use it too', traffic: { remainingMax: 2 }, want: ['unknown'] },
  { why: 'no header', traffic: {}, want: ['unknown'] },
  { why: 'the limit was met', traffic: { rateLimited: 1, remainingMax: 4 }, want: ['unknown'] },
];

for (const { why, traffic, want } of rates) {
  test(`rate-limit: ${why}`, () => {
    const result = classify(toEvidence({ traffic }), 'rate-limit');

    expect([result?.verdict, result?.value].filter((each) => each !== undefined)).toEqual(want);
  });
}

const found = (...names: string[]) => ({ kind: 'seen', value: names }) as const;
const filters = [
  {
    why: 'finds the known, not the unknown',
    known: found('ada'),
    none: found(),
    want: 'confirmed',
  },
  { why: 'compares without case', known: found('ADA'), none: found(), want: 'confirmed' },
  { why: 'finds everybody', known: found('ada', 'bo'), none: found('ada', 'bo'), want: 'refuted' },
  { why: 'finds others besides', known: found('ada', 'bo'), none: found(), want: 'refuted' },
  { why: 'finds somebody for nonsense', known: found('ada'), none: found('ada'), want: 'refuted' },
  { why: 'finds nobody ever', known: found(), none: found(), want: 'refuted' },
  { why: 'is refused', known: answered(400), none: answered(400), want: 'refuted' },
  { why: 'could not be asked', known: found('ada'), none: answered(503), want: 'unknown' },
  { why: 'has nobody to find', known: skipped('nobody'), none: found(), want: 'unknown' },
];

for (const { why, known, none, want } of filters) {
  test(`filter: one that ${why} is ${want}`, () => {
    const users = { ...unseenUsers, filter: { userName: 'ada', known, nonsense: none } };

    const result = classify(toEvidence({ survey: { users } }), 'filter');

    expect(result?.verdict).toBe(want);
    expect(result?.value).toBe(want === 'refuted' ? 'no' : undefined);
  });
}

const scim = (id: string, displayName: string) => ({ id, displayName, memberIds: undefined });
const rest = (id: number, uid: string, name: string) => ({
  id,
  uid,
  name,
  permissions: undefined,
  addToCardsAndSpacesEnabled: undefined,
  usersCount: undefined,
});
const forms = [
  {
    why: 'equal to the REST id',
    scims: [scim('1', 'A')],
    rests: [rest(1, 'u', 'A')],
    want: 'restId',
  },
  { why: 'equal to the uid', scims: [scim('u', 'A')], rests: [rest(1, 'u', 'A')], want: 'uid' },
  {
    why: 'contradicted by one group',
    scims: [scim('1', 'A'), scim('9', 'B')],
    rests: [rest(1, 'u', 'A'), rest(2, 'v', 'B')],
    want: 'unrelated',
  },
  {
    why: 'an id of another name, which is no agreement',
    scims: [scim('1', 'B'), scim('2', 'A')],
    rests: [rest(1, 'u', 'A'), rest(2, 'v', 'B')],
    want: 'unrelated',
  },
  {
    why: 'undecidable where names occur twice',
    scims: [scim('1', 'A'), scim('2', 'A')],
    rests: [rest(1, 'u', 'A'), rest(2, 'v', 'A')],
    want: undefined,
  },
  { why: 'undecidable without groups', scims: [], rests: [], want: undefined },
];

for (const { why, scims, rests, want } of forms) {
  test(`findGroupIdForm: ${why}`, () => expect(findGroupIdForm(scims, rests)).toBe(want));
}
