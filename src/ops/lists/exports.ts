import { toCount } from '../../domain/values.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { actOf } from './list.ts';
import { toDecisions } from './words.ts';

const YES_OR_NO = ['true', 'false'] as const;

/** Compares a provider's own export with the bridge and the service. */
export const CENSUS = actOf('Census')({
  role: 'reader',
  file: 'required',
  path: '/census',
  summary:
    "Compare a provider's own export of its people with the bridge and the service; changes nothing.",
  parameters: { provider: 'text' },
  meanings: { provider: 'The provider of the export; `default` when left out.' },
  command: 'census <file>',
  help: 'Files, findings and exit codes: docs/go-live.md#census-compare-a-providers-list.',
  columns: [
    { name: 'finding', value: ({ kind }) => kind },
    {
      name: 'name',
      value({ entries, people }) {
        const names = [...entries, ...people].flatMap(({ name }) => name ?? []);
        return [...new Set(names)].join(', ');
      },
    },
    { name: 'row', value: ({ entries }) => entries.map(({ row }) => row).join(', ') },
    {
      name: 'id',
      kind: 'id',
      place: 'minor',
      value: ({ people }) => people.map(({ id }) => id).join(', '),
    },
    { name: 'found by', place: 'minor', value: ({ by }) => by },
    { name: 'provider', place: 'minor' },
    { name: 'differs in', value: toDifferences },
  ],
  say({ provider, entries, people, accounts, agreeing, sweptAt, kinds }) {
    const seen = sweptAt === null ? 'when the bridge first met it' : `on ${sweptAt}`;
    const found = toSums(kinds);
    return `File: ${toCount(entries, 'person', 'people')}. Bridge: ${people} of the provider ${provider}. Service: ${toCount(accounts, 'account')}, last read as a whole ${seen}.
All three agree about ${toCount(agreeing, 'person', 'people')} of the file. ${found === '' ? 'Nothing was found.' : `Found: ${found}.`}`;
  },
  isFinding: () => true,
});

function toDifferences({ differences }: OpsJson<'Finding'>): string {
  const lines = differences.map(({ attribute, ...values }) => {
    const shown = Object.entries(values).filter(([, value]) => value !== null);
    return `${attribute}: ${shown.map(([where, value]) => `${where} ${JSON.stringify(value)}`).join(', ')}`;
  });
  return lines.join('; ');
}

/** How often each outcome came, as `2 imported, 1 ambiguous`; empty: none came. */
function toSums(counts: Readonly<Record<string, number>>): string {
  const sums = Object.entries(counts).map(([word, count]) => `${count} ${word}`);
  return sums.join(', ');
}

/** Plans that people and groups of a provider go to another one. */
export const HANDOVER = actOf('Handover')({
  file: 'optional',
  path: '/providers/{from}/switch',
  summary:
    'Plan that people and groups of a provider go to another one. Nothing is changed before the plan is approved, and nothing in the service.',
  parameters: { to: 'text', dryRun: YES_OR_NO },
  meanings: {
    to: 'The other provider.',
    dryRun: 'Tell, and make no plan.',
    file: 'People of the other provider: those alone go who are found in it.',
  },
  command: 'provider switch <from> <to>',
  help: 'Steps and outcomes: docs/go-live.md#handover-from-one-provider-to-another.',
  columns: [
    { name: 'outcome' },
    { name: 'type' },
    { name: 'who', value: ({ name }) => name },
    { name: 'found by', value: ({ by }) => by },
    { name: 'row' },
    { name: 'new externalId', place: 'minor', value: ({ externalId }) => externalId },
    { name: 'id', kind: 'id', place: 'minor' },
  ],
  say({ from, to, planId, hash, counts }) {
    const next = planId === null ? 'No plan was made.' : toDecisions(planId, hash);
    return `${from} to ${to}: ${toSums(counts) || 'nothing belongs to it'}.\n${next}`;
  },
});

/** Plans that a provider has nothing any more. */
export const LEAVING = actOf('Handover')({
  path: '/providers/{from}/leave',
  summary: 'Plan that a provider has no people and groups any more. Nothing is changed before.',
  parameters: { how: ['keep', 'deactivate', 'release'], to: 'text', dryRun: YES_OR_NO },
  meanings: {
    ...HANDOVER.meanings,
    how: 'They go to another provider as they are (when left out) or deactivated, or are observed alone.',
    to: 'The other provider; `default` when left out.',
  },
  command: 'provider leave <from>',
  columns: HANDOVER.columns,
  say: HANDOVER.say,
});

/** Takes the ids by which an earlier SCIM server knew people or groups. */
export const ID_IMPORT = actOf('IdImport')({
  file: 'required',
  path: '/providers/{provider}/import-ids',
  summary:
    'Answer by the ids of an earlier SCIM server too. A row that is not certainly one person or group, and an id that another one has, are left out.',
  parameters: { type: ['user', 'group'], dryRun: YES_OR_NO },
  meanings: {
    type: 'What the file lists; `user` when left out.',
    dryRun: 'Tell, and import nothing.',
  },
  command: 'provider import-ids <provider> <file>',
  help: 'The file, outcomes and exit codes: docs/go-live.md#ids-of-an-earlier-scim-server.',
  columns: [
    { name: 'left out', value: ({ outcome }) => outcome },
    { name: 'row' },
    { name: 'who', value: ({ name }) => name },
    { name: 'earlier id', value: ({ formerId }) => formerId },
  ],
  isFinding: ({ outcome }) => outcome !== 'imported' && outcome !== 'known',
  say: ({ dryRun, counts }) =>
    `${toSums(counts)}.${dryRun ? ' It is a dry run: nothing was imported.' : ''}`,
});
