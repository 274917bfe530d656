import { expect, test } from 'vitest';
import { companyUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { toObservedColumns } from './account.ts';

test.each([
  ['a look', scim.getUser, 5],
  ['the answer of a change', scim.updateUser, undefined],
  ['the answer of a change of the licence', companyUsers.updateUser, undefined],
] as const)('a leaver is out once a look shows it: %s', (_, { id: by }, out_at) => {
  const seen = { fullName: 'Ada', active: false, at: 5, by };

  expect(toObservedColumns({ erased_at: null, left_at: 1, out_at: null }, seen).out_at).toBe(
    out_at,
  );
});
