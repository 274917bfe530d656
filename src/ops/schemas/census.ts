import { z } from 'zod';
import { CENSUS_KINDS, MATCH_KEYS } from '../../domain/census.ts';
import { count, counts, type JsonOf, moment, named, word } from './kinds.ts';

const value = () => z.union([z.string(), z.boolean()]).nullable();

/** One finding of a census. */
export const censusFinding = z.strictObject({
  kind: word(CENSUS_KINDS).describe(
    '`only-…`: in this one of the three alone; `not-…`: in the other two; `duplicate`: one is two; `of-other`: another provider manages the person.',
  ),
  by: word(MATCH_KEYS).nullable().describe('The key that found the person.'),
  entries: z
    .array(
      z.strictObject({
        row: count().describe('In the file, where the first line is 1.'),
        name: z.string().nullable(),
      }),
    )
    .describe('Of the file.'),
  people: z.array(named).describe('Of the bridge and the service, with the SCIM id.'),
  provider: z.string().nullable().describe('Whose the person is; null: only observed, or two.'),
  differences: z
    .array(
      z.strictObject({
        attribute: z.string(),
        provider: value(),
        bridge: value().describe('null: it has none.'),
        service: value().describe('null: it has none, or it is not compared.'),
      }),
    )
    .describe('Attributes that differ.'),
});
/** A finding of a census as operators are shown it. */
export type CensusFinding = JsonOf<typeof censusFinding>;

/** A provider's export beside the bridge and the service. */
export const census = z.strictObject({
  provider: z.string(),
  sweptAt: moment()
    .nullable()
    .describe(
      'When the service was last read as a whole; null: only when the bridge first met it.',
    ),
  items: z.array(censusFinding),
  entries: count().describe('People of the file.'),
  people: count().describe('People of the provider in the bridge.'),
  accounts: count().describe('Accounts that the service was last seen to hold.'),
  agreeing: count().describe('People of the file about whom all three agree.'),
  kinds: counts().describe('Findings of each kind.'),
});
/** A census as operators are shown it. */
export type CensusAnswer = JsonOf<typeof census>;
