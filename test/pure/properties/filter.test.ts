import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/domain/values.ts';
import { matches } from '../../../src/scim/filter/matches.ts';
import { parseFilter } from '../../../src/scim/filter/parse-filter.ts';
import { userSchema } from '../../../src/scim/scim-test-support.ts';
import { bridgeForSuite } from '../../support/bridge.ts';
import { listResources, toUser } from '../../support/provider.ts';
import { hold } from './hold.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const WORK = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';

interface Attribute {
  readonly path: string;
  readonly type: 'text' | 'exact' | 'boolean' | 'number' | 'moment';
}

const ATTRIBUTES: readonly Attribute[] = [
  { path: 'userName', type: 'text' },
  { path: 'externalId', type: 'exact' },
  { path: 'title', type: 'text' },
  { path: 'active', type: 'boolean' },
  { path: 'name.familyName', type: 'text' },
  { path: 'emails.value', type: 'text' },
  { path: 'emails.type', type: 'text' },
  { path: 'meta.lastModified', type: 'moment' },
  { path: `${ENTERPRISE}:department`, type: 'text' },
  { path: `${WORK}:appsPermissions`, type: 'number' },
];
const PARTS: readonly Attribute[] = [
  { path: 'value', type: 'text' },
  { path: 'type', type: 'text' },
];

type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

/** A filter as it is meant, before anybody wrote it down. */
type Meaning =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Meaning[] }
  | { readonly kind: 'not'; readonly part: Meaning }
  | { readonly kind: 'some'; readonly part: Meaning }
  | { readonly kind: 'present'; readonly attribute: Attribute }
  | {
      readonly kind: 'compare';
      readonly attribute: Attribute;
      readonly operator: Operator;
      readonly value: string | number | boolean;
    };

/** Few words, so that they often meet; upper and lower case, quotes, backslashes and signs of the grammar among them. */
const word = fc.oneof(
  fc.constantFrom('ada', 'Ada', 'ADA', 'a', 'grace', 'eq', ') or (', 'say "hi"', 'back\\slash'),
  fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'B', 'é', ' ', ']', '"') }),
);
const moment = fc.constantFrom(
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00Z',
  '2026-06-30T12:30:00.000Z',
  '2026-06-30T14:30:00+02:00',
);
const number = fc.constantFrom(0, 1, 2, 4);

function compare(attribute: Attribute): fc.Arbitrary<Meaning> {
  const of = (values: fc.Arbitrary<string | number | boolean>, operators: readonly Operator[]) =>
    fc
      .tuple(fc.constantFrom(...operators), values)
      .map(([operator, value]): Meaning => ({ kind: 'compare', attribute, operator, value }));
  switch (attribute.type) {
    case 'boolean':
      return of(fc.boolean(), ['eq', 'ne']);
    case 'number':
      return of(number, ['eq', 'ne', 'gt', 'ge', 'lt', 'le']);
    case 'moment':
      return of(moment, ['eq', 'ne', 'gt', 'ge', 'lt', 'le']);
    default:
      return of(word, ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']);
  }
}

function leaf(attributes: readonly Attribute[]): fc.Arbitrary<Meaning> {
  return fc
    .constantFrom(...attributes)
    .chain((attribute) =>
      fc.oneof(
        { weight: 4, arbitrary: compare(attribute) },
        { weight: 1, arbitrary: fc.constant<Meaning>({ kind: 'present', attribute }) },
      ),
    );
}

function combined(leaves: fc.Arbitrary<Meaning>): fc.Arbitrary<Meaning> {
  const { filter } = fc.letrec<{ filter: Meaning }>((tie) => {
    const parts = fc.array(tie('filter'), { minLength: 2, maxLength: 3 });
    const both = fc.tuple(fc.constantFrom('and', 'or'), parts);
    const joined = both.map(([kind, some]): Meaning => ({ kind, parts: some }));
    const negated = tie('filter').map((part): Meaning => ({ kind: 'not', part }));
    return { filter: fc.oneof({ depthSize: 'small' }, leaves, joined, negated) };
  });
  return filter;
}

const bracketed = combined(leaf(PARTS)).map((part): Meaning => ({ kind: 'some', part }));

const meaning = combined(
  fc.oneof({ weight: 5, arbitrary: leaf(ATTRIBUTES) }, { weight: 1, arbitrary: bracketed }),
);

const style = fc.record({
  isUpper: fc.boolean(),
  space: fc.constantFrom(' ', '  ', '\t'),
  isWordy: fc.boolean(),
});
type Style = typeof style extends fc.Arbitrary<infer T> ? T : never;

/** The filter as a provider writes it. `and` binds before `or`, and `not` needs parentheses (RFC 7644 §3.4.2.2). */
function write(filter: Meaning, how: Style): string {
  const { space, isWordy } = how;
  const spell = (text: string) => (how.isUpper ? text.toUpperCase() : text);
  const inner = (part: Meaning) => {
    const text = write(part, how);
    return isWordy || part.kind === 'and' || part.kind === 'or' ? `(${text})` : text;
  };
  switch (filter.kind) {
    case 'and':
      return filter.parts.map(inner).join(`${space}${spell('and')}${space}`);
    case 'or':
      return filter.parts
        .map((part) => (part.kind === 'and' ? write(part, how) : inner(part)))
        .join(`${space}${spell('or')}${space}`);
    case 'not':
      return `${spell('not')}${space}(${write(filter.part, how)})`;
    case 'some':
      return `${spell('emails')}[${write(filter.part, how)}]`;
    case 'present':
      return `${spell(filter.attribute.path)}${space}${spell('pr')}`;
    case 'compare':
      return [
        spell(filter.attribute.path),
        spell(filter.operator),
        JSON.stringify(filter.value),
      ].join(space);
  }
}

const email = fc.record(
  { value: word, type: fc.constantFrom('work', 'Work', 'home'), primary: fc.boolean() },
  { requiredKeys: ['value'] },
);

const resource: fc.Arbitrary<JsonObject> = fc.record(
  {
    userName: word,
    externalId: word,
    title: word,
    active: fc.boolean(),
    name: fc.record({ familyName: word, givenName: word }, { requiredKeys: [] }),
    emails: fc.array(email, { minLength: 1, maxLength: 3 }),
    meta: fc.record({ lastModified: moment }),
    [ENTERPRISE]: fc.record({ department: word }),
    [WORK]: fc.record({ appsPermissions: number }),
  },
  { requiredKeys: ['userName', 'meta'] },
);

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
