import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/domain/json.ts';
import { matches } from '../../../src/scim/filter/matches.ts';
import { parseFilter } from '../../../src/scim/filter/parse-filter.ts';
import { userSchema } from '../../../src/scim/schema/resource-schemas.ts';
import { bridgeForSuite } from '../../support/bridge.ts';
import { listResources, toUser } from '../../support/provider.ts';
import { meaning, resource, style, write } from './filter-language.ts';
import { hold } from './hold.ts';

describe('filters of a list', () => {
  const PEOPLE = 40;
  const bridge = bridgeForSuite();
  let people: readonly JsonObject[];
  beforeAll(async () => {
    for (const [n, one] of fc.sample(resource, { seed: 5, numRuns: PEOPLE }).entries()) {
      // Names and addresses are one person's alone; all else is as often shared as not.
      const { meta: _, userName: _name, emails: _emails, ...shared } = one;
      await bridge.send('POST', '/Users', toUser(`p${n}`, shared));
    }
    people = listResources(await bridge.request('GET', '/Users?count=1000'));
  });

  test('find in the store whom they mean, and nobody else', () =>
    hold(
      fc.asyncProperty(meaning, style, async (wanted, how) => {
        const filter = write(wanted, how);
        const parsed = parseFilter(filter, userSchema);
        const query = new URLSearchParams({ filter, count: '1000' });
        const found = listResources(await bridge.request('GET', `/Users?${query}`));

        expect(found.map(({ id }) => id)).toEqual(
          people.filter((person) => matches(parsed, person)).map(({ id }) => id),
        );
      }),
      15,
    ));
});
