import { expect, test } from 'vitest';
import { type Demands, findLimit, isOfOther, type ProviderLimits, RIGHTS } from './provider.ts';

const NO_LIMITS: ProviderLimits = { domains: null, groupNames: null, may: RIGHTS };
const NOTHING: Demands = { rights: [], userNames: [], groupNames: [] };

const cases: readonly {
  readonly why: string;
  readonly limits: Partial<ProviderLimits>;
  readonly demands: Partial<Demands>;
  readonly isAllowed: boolean;
}[] = [
  {
    why: 'without limits everything',
    limits: {},
    demands: { rights: RIGHTS, userNames: ['a@b@c'], groupNames: [''] },
    isAllowed: true,
  },
  { why: 'nothing, where nothing is asked', limits: { may: [] }, demands: {}, isAllowed: true },
  {
    why: 'no right that is missing, also beside one that is there',
    limits: { may: ['users.create'] },
    demands: { rights: ['users.create', 'users.delete'] },
    isAllowed: false,
  },
  ...[
    { name: 'ada@example.com', isAllowed: true },
    { name: ' ADA@Example.COM ', isAllowed: true },
    { name: 'ada', isAllowed: true },
    { name: 'ada@example.org', isAllowed: false },
    { name: 'ada@sub.example.com', isAllowed: false },
    { name: 'ada@notexample.com', isAllowed: false },
    { name: 'ada@example.com.', isAllowed: false },
    { name: 'ada@', isAllowed: false },
    { name: '@example.com', isAllowed: false },
    { name: 'ada@example.com@example.org', isAllowed: false },
    { name: 'ada@example.org@example.com', isAllowed: false },
  ].map(({ name, isAllowed }) => ({
    why: `of the domain: ${name}`,
    limits: { domains: ['example.com'] },
    demands: { userNames: ['bob@example.com', name] },
    isAllowed,
  })),
  ...[
    { name: 'okta Board', isAllowed: true },
    { name: 'BOARD', isAllowed: true },
    { name: 'Boards', isAllowed: false },
    { name: 'my okta', isAllowed: false },
  ].map(({ name, isAllowed }) => ({
    why: `of the patterns: ${name}`,
    limits: { groupNames: ['Okta *', 'board'] },
    demands: { groupNames: ['board', name] },
    isAllowed,
  })),
];

test.each(cases)('a provider may: $why', ({ limits, demands, isAllowed }) => {
  const limit = findLimit({ ...NO_LIMITS, ...limits }, { ...NOTHING, ...demands });

  expect(limit === undefined).toBe(isAllowed);
  if (limit !== undefined) expect(limit).toMatch(/^may .*\.$/);
});

test('what nobody manages is no other provider’s', () => {
  const own = { origin: 'created', provider: 'okta' };

  expect(isOfOther('okta', own)).toBe(false);
  expect(isOfOther('entra', own)).toBe(true);
  expect(isOfOther('entra', { ...own, origin: null })).toBe(false);
});
