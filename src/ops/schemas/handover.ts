import { z } from 'zod';
import { MATCH_KEYS } from '../../domain/census.ts';
import { HANDOVER_OUTCOMES, IMPORT_OUTCOMES } from '../../domain/handover.ts';
import { count, counts, type JsonOf, resourceType, word } from './kinds.ts';

/** One person or group of a switch of providers. */
export const handoverItem = z.strictObject({
  type: resourceType(),
  id: z.string().nullable().describe('The SCIM id, which stays; null: nobody here.'),
  name: z.string().nullable(),
  outcome: word(HANDOVER_OUTCOMES).describe(
    '`handed-over`: it goes to the other provider; `ambiguous`, `only-here`: it stays; `only-file`: the other provider has it, and nobody here is it.',
  ),
  by: word(MATCH_KEYS)
    .nullable()
    .describe('The key that found it; `externalId`: `formerExternalId` of the file.'),
  row: count().nullable().describe('Of the file.'),
  externalId: z.string().nullable().describe('The one of the other provider, from the file.'),
});
/** One person or group of a switch of providers, as operators are shown it. */
export type HandoverItem = JsonOf<typeof handoverItem>;

/** A switch of providers, as it was planned. */
export const handover = z.strictObject({
  from: z.string(),
  to: z.string(),
  planId: z.string().nullable().describe('The plan that waits; null: none was made.'),
  hash: z.string().nullable().describe('What `approve` is to be given.'),
  counts: counts().describe('How many there are of each outcome.'),
  items: z.array(handoverItem),
});
/** A switch of providers as operators are shown it. */
export type HandoverAnswer = JsonOf<typeof handover>;

/** One row of an import of ids. */
export const importItem = z.strictObject({
  type: resourceType(),
  row: count().describe('Of the file.'),
  formerId: z.string().describe('The id of the earlier server.'),
  id: z.string().nullable().describe('The SCIM id of the bridge; null: nobody, or not sure.'),
  name: z.string().nullable(),
  outcome: word(IMPORT_OUTCOMES).describe(
    '`imported`: the bridge answers by it; `known`: it did already; `taken`: somebody else has it.',
  ),
});
/** One row of an import of ids, as operators are shown it. */
export type ImportItem = JsonOf<typeof importItem>;

/** An import of ids. */
export const idImport = z.strictObject({
  provider: z.string(),
  dryRun: z.boolean(),
  counts: counts().describe('How many there are of each outcome.'),
  items: z.array(importItem),
});
/** An import of ids as operators are shown it. */
export type ImportAnswer = JsonOf<typeof idImport>;
