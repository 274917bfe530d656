import { toCount } from '../../domain/text.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { fileActOf } from './list.ts';

const MAP =
  '`column=attribute` with commas, for columns that are not known; `column=` leaves one out.';
const YES_OR_NO = ['true', 'false'] as const;

/** Compares a provider's own export with the bridge and the service. */
export const CENSUS = fileActOf('Census')({
  path: '/census',
  summary:
    "Compare a provider's own export of its people with the bridge and the service; changes nothing.",
  parameters: { provider: 'text', map: 'long text' },
  meanings: { provider: 'The provider of the export; `default` when left out.', map: MAP },
  command: 'census <file>',
  help: `
The file is a CSV of Okta or Entra, or JSON of Okta, of Microsoft Graph or of SCIM, one object a line. Nothing is changed, and the service is
not called: "scim-bridge sweep" reads it anew. What the findings mean: docs/go-live.md. Exit code 2: something was
found.`,
  columns: [
    {
      name: 'finding',
      place: 'shown',
      tone: () => 'waiting',
      value: ({ kind }) => CENSUS_WORDS[kind] ?? kind,
    },
    { name: 'finding', place: 'csv', value: ({ kind }) => kind },
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
    const found = toSums(kinds, CENSUS_WORDS);
    return `File: ${toCount(entries, 'person', 'people')}. Bridge: ${people} of the provider ${provider}. Service: ${toCount(accounts, 'account')}, last read as a whole ${seen}.
All three agree about ${toCount(agreeing, 'person', 'people')} of the file. ${found === '' ? 'Nothing was found.' : `Found: ${found}.`}`;
  },
  isFinding: () => true,
});

const CENSUS_WORDS: Readonly<Record<string, string>> = {
  'only-provider': 'only at the provider',
  'only-bridge': 'only in the bridge',
  'only-service': 'only in the service',
  'not-provider': 'not at the provider',
  'not-bridge': 'not in the bridge',
  'not-service': 'not in the service',
  differs: 'differing',
  'of-other': 'of another provider',
};

function toDifferences({ differences }: OpsJson<'Finding'>): string {
  const lines = differences.map(({ attribute, ...values }) => {
    const shown = Object.entries(values).filter(([, value]) => value !== null);
    return `${attribute}: ${shown.map(([where, value]) => `${where} ${JSON.stringify(value)}`).join(', ')}`;
  });
  return lines.join('; ');
}

/** How often each outcome came, as `2 imported, 1 ambiguous`; empty: none came. */
function toSums(counts: Readonly<Record<string, number>>, words: Readonly<Record<string, string>>) {
  const sums = Object.entries(counts).map(([word, count]) => `${count} ${words[word] ?? word}`);
  return sums.join(', ');
}

const HANDOVER_WORDS: Readonly<Record<string, string>> = {
  'handed-over': 'handed over',
  'only-here': 'only here',
  'only-file': 'only in the file',
};

/** Plans that people and groups of a provider go to another one. */
export const HANDOVER = fileActOf('Handover')({
  path: '/providers/{from}/switch',
  summary:
    'Plan that people and groups of a provider go to another one. Nothing is changed before the plan is approved, and nothing in the service.',
  parameters: { to: 'text', map: 'long text', dryRun: YES_OR_NO },
  meanings: { to: 'The other provider.', map: MAP, dryRun: 'Tell, and make no plan.' },
  command: 'provider switch <from> <to>',
  fileOption: 'people of the other provider: those alone go who are found in it',
  help: `
  handed over         goes to the other provider; SCIM ids, accounts and memberships stay as they are
  ambiguous           it is not certain which row of the file it is: stays
  only here           the file does not have it: stays
  only in the file    the other provider has it, and nobody here is it

People are found by the externalId of the earlier provider (a column formerExternalId), then by userName, then by address.
Groups all go.`,
  columns: [
    { name: 'outcome', value: ({ outcome }) => HANDOVER_WORDS[outcome] ?? outcome },
    { name: 'type' },
    { name: 'who', value: ({ name }) => name },
    { name: 'found by', value: ({ by }) => by },
    { name: 'row' },
    { name: 'new externalId', place: 'minor', value: ({ externalId }) => externalId },
    { name: 'id', kind: 'id', place: 'minor' },
  ],
  say({ from, to, planId, hash, counts }) {
    const next =
      planId === null
        ? 'No plan was made.'
        : `scim-bridge plan approve ${planId} ${hash}   does exactly this, as far as it still holds\nscim-bridge plan discard ${planId}   does nothing of it`;
    return `${from} to ${to}: ${toSums(counts, HANDOVER_WORDS) || 'nothing belongs to it'}.\n${next}`;
  },
});

/** Takes the ids by which an earlier SCIM server knew people or groups. */
export const ID_IMPORT = fileActOf('IdImport')({
  path: '/providers/{provider}/import-ids',
  summary:
    'Answer by the ids of an earlier SCIM server too. A row that is not certainly one person or group, and an id that another one has, are left out.',
  parameters: { type: ['user', 'group'], map: 'long text', dryRun: YES_OR_NO },
  meanings: {
    type: 'What the file lists; `user` when left out.',
    map: MAP,
    dryRun: 'Tell, and import nothing.',
  },
  command: 'provider import-ids <provider> <file>',
  help: `
The file is the /Users or /Groups list of the earlier server, or a CSV with a column id and one of externalId, userName,
email and displayName. SCIM ids of the bridge stay; it answers by the others too, in addresses, bulk requests and members.
Exit code 2: some rows are left out, because nobody here is them, it is not certain who is, or another one has the id.`,
  columns: [
    { name: 'left out', value: ({ outcome }) => IMPORT_WORDS[outcome] ?? outcome },
    { name: 'row' },
    { name: 'who', value: ({ name }) => name },
    { name: 'earlier id', value: ({ formerId }) => formerId },
  ],
  isFinding: ({ outcome }) => outcome !== 'imported' && outcome !== 'known',
  say({ dryRun, counts }) {
    const words = dryRun ? { ...IMPORT_WORDS, imported: 'would be imported' } : IMPORT_WORDS;
    return `${toSums(counts, words)}.${dryRun ? ' Nothing was imported.' : ''}`;
  },
});

const IMPORT_WORDS: Readonly<Record<string, string>> = {
  known: 'known already',
  taken: "another one's id",
  ambiguous: 'fits several',
  'only-file': 'nobody here',
};
