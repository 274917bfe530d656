import { expect, test } from 'vitest';
import type { Demands, ProviderLimits } from './provider.ts';
import { findLimit, isOfOther, RIGHTS } from './provider.ts';

const domains = ['a.example', 'b.example'];
const BOTH = /a\.example, b\.example/;
const NONE = undefined;
const groupNames = ['Team *', 'Board'];
const names = (...userNames: string[]) => ({ userNames });
const groups = (...some: string[]) => ({ groupNames: some });

test.each<
  [why: string, limits: Partial<ProviderLimits>, Partial<Demands>, want: RegExp | undefined]
>([
  ['everything without limits', {}, { rights: RIGHTS, ...names('a@x'), ...groups('x') }, NONE],
  ['what it may do', { may: ['users.change'] }, { rights: ['users.change'] }, NONE],
  ['not what it may not', { may: [] }, { rights: ['users.delete'] }, /delete users/],
  ['people of its domains', { domains }, names('ada@a.example', ' Eve@B.Example '), NONE],
  ['nobody of another one', { domains }, names('a@a.example', 'e@c.example'), BOTH],
  ['a name without a domain is of none', { domains }, names('ada'), NONE],
  ['an address without a name is not its', { domains }, names('@a.example'), BOTH],
  ['nor one with two domains', { domains }, names('ada@a.example@c.example'), BOTH],
  ['groups of its names', { groupNames }, groups('team red', 'Board'), NONE],
  ['no group of another name', { groupNames }, groups('Team red', 'Staff'), /Team \*, Board/],
])('the limits of a provider allow: %s', (_why, limits, demands, want) => {
  const all = { domains: null, groupNames: null, may: RIGHTS, ...limits };
  const reason = findLimit(all, { rights: [], userNames: [], groupNames: [], ...demands });

  if (want === undefined) expect(reason).toBeUndefined();
  else expect(reason).toMatch(want);
});

test.each([
  ['another one manages it', { origin: 'scim', provider: 'b' }, true],
  ['this one manages it', { origin: 'scim', provider: 'a' }, false],
  ['nobody manages it', { origin: null, provider: 'b' }, false],
])('a resource is of another provider: %s', (_why, row, want) =>
  expect(isOfOther('a', row)).toBe(want),
);
