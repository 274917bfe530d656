import type { HandoverOutcome } from '../../domain/handover.ts';
import type { HandOver } from '../../reconcile/repair/hand-over.ts';
import { readRows } from '../../store/resources/rows.ts';
import type { Matches } from '../census/match.ts';
import { listPeople, matchAll, type Reading } from '../census/source.ts';
import type { ExportEntry } from '../exports/read-entries.ts';
import type { HandoverItem } from '../schemas/handover.ts';

/** A switch that is asked for. */
export interface SwitchRequest {
  readonly from: string;
  readonly to: string;
  /** People of the other provider; undefined: everybody is handed over. */
  readonly entries: readonly ExportEntry[] | undefined;
}

/** The outcome of a switch for each person and group, and who goes. */
export interface Switching {
  readonly items: readonly HandoverItem[];
  readonly handovers: readonly HandOver[];
}

/** Groups that are read at once. */
const PART = 100;

/** Finds out who would go to the other provider. It reads, and calls nobody. */
export async function findSwitch(
  sources: Reading,
  { from, to, entries }: SwitchRequest,
): Promise<Switching> {
  const sought = { provider: from, idAttribute: 'formerExternalId' } as const;
  const matches = entries && (await matchAll(sources, entries, sought));
  const taken = countExternalIds(entries ?? []);
  const items: HandoverItem[] = [];
  const handovers: HandOver[] = [];
  for await (const { externalId, ...subject } of listSubjects(sources, from)) {
    const { type, id } = subject;
    const found = type === 'user' ? findOutcome(matches, id, taken) : EVERYBODY;
    items.push({ ...subject, ...found });
    if (found.outcome !== 'handed-over') continue;
    const next = { provider: to, externalId: found.externalId };
    handovers.push({ type, id, from: { provider: from, externalId }, to: next });
  }
  for (const { row, texts, active } of matches?.listStrangers() ?? []) {
    if (active === false) continue;
    const name = texts.userName || texts.email || null;
    const externalId = texts.externalId || null;
    const stranger = { type: 'user', id: null, name, by: null, row, externalId } as const;
    items.push({ ...stranger, outcome: 'only-file' });
  }
  return { items, handovers };
}

interface Outcome {
  readonly outcome: HandoverOutcome;
  readonly by: HandoverItem['by'];
  readonly row: number | null;
  readonly externalId: string | null;
}

/** Without a file nobody is compared, and the other provider is yet to give its ids. */
const EVERYBODY: Outcome = { outcome: 'handed-over', by: null, row: null, externalId: null };

function findOutcome(
  matches: Matches | undefined,
  id: string,
  taken: ReadonlyMap<string, number>,
): Outcome {
  if (matches === undefined) return EVERYBODY;
  const found = matches.findEntry(id);
  if (found === undefined) {
    return { ...EVERYBODY, outcome: matches.isClaimed(id) ? 'ambiguous' : 'only-here' };
  }
  const { row, texts } = found.entry;
  const externalId = texts.externalId || null;
  // Two people under one id would be one to the other provider.
  const isOne = externalId === null || taken.get(externalId) === 1;
  return { outcome: isOne ? 'handed-over' : 'ambiguous', by: found.by, row, externalId };
}

function countExternalIds(entries: readonly ExportEntry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { texts } of entries) {
    const id = texts.externalId ?? '';
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** People and groups of a provider. */
async function* listSubjects(sources: Reading, from: string): AsyncGenerator<Subject> {
  for await (const { provider, externalIds, id, name } of listPeople(sources)) {
    const [externalId = null] = externalIds;
    if (provider === from) yield { type: 'user', id, name, externalId };
  }
  for await (const rows of readRows(sources.store.read, 'group', { limit: PART, of: 'ruled' })) {
    for (const { id, provider, name, external_id: externalId } of rows) {
      if (provider === from) yield { type: 'group', id, name, externalId };
    }
  }
}

interface Subject {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  /** The one of the earlier provider. */
  readonly externalId: string | null;
}
