import { toVersions } from '../../../src/domain/cell-test-support.ts';
import type { ObservedGroup, ObservedUser } from '../../../src/domain/kinds.ts';
import { isJsonObject } from '../../../src/domain/values.ts';
import type { GroupRow, UserRow } from '../../../src/store/resources/rows.ts';
import { listRows } from '../../../src/store/resources/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Row } from '../../../src/store/tables.ts';
import { listWhere } from '../../../src/store/tables.ts';

/** Everything that the store holds of people and groups. */
export interface Snapshot {
  readonly users: readonly UserRow[];
  readonly groups: readonly GroupRow[];
  readonly members: readonly Row<'links'>[];
}

/** Reads all of it. */
export async function readSnapshot({ read }: Store): Promise<Snapshot> {
  return {
    users: await listRows(read, 'user', {}),
    groups: await listRows(read, 'group', {}),
    members: await listWhere(read, 'links', { list: 'member' }),
  };
}

/** The parts of a stored name, one after another, or undefined. */
export function readName({ attributes }: Pick<UserRow, 'attributes'>): string | undefined {
  const { name } = attributes;
  return isJsonObject(name) ? `${name.givenName ?? ''} ${name.familyName ?? ''}`.trim() : undefined;
}

/** The fields that wait, by name, with their versions. */
export const readPending = ({ cells }: Pick<UserRow, 'cells'>) => toVersions<string>(cells);

function describeRows({ users, groups, members }: Snapshot): string[] {
  return [
    ...users.map(
      (row) =>
        `user ${row.id} ${readName(row)} active=${row.active} account=${row.upstream_id} ${describe(row)}`,
    ),
    ...groups.map((row) => `group ${row.id} ${row.name} rest=${row.upstream_id} ${describe(row)}`),
    ...members.map(
      ({ group_id, target, desired, observed, pending, retry_at }) =>
        `member ${target} of ${group_id} desired=${desired} observed=${observed} pending=${pending} retry=${retry_at}`,
    ),
  ];
}

function describe(row: UserRow | GroupRow): string {
  const { observed } = row;
  const { fullName, active, displayName }: Partial<ObservedUser & ObservedGroup> = observed ?? {};
  return [
    `v${row.version} origin=${row.origin} cells=${JSON.stringify(row.cells)}`,
    `sees=${observed && JSON.stringify(fullName ?? displayName)}/${active}`,
    `look=${row.must_look} due=${row.due_at} unsure=${row.unsure_until}`,
    ...(row.stuck_at === null ? [] : [`STUCK ${JSON.stringify(row.last_error)}`]),
    ...(row.deleted_at === null ? [] : ['DELETED']),
  ].join(' ');
}

/** What happened in a schedule, step by step, with what each step changed in the store. */
export type Trace = ReturnType<typeof createTrace>;

const ID = /\b[a-f][0-9a-f]{15}\b/g;

/** An empty trace. Ids are numbered, so that two runs of a schedule can be compared. */
export function createTrace(store: Store) {
  const names = new Map<string, string>();
  const lines: string[] = [];
  let known = new Set<string>();

  function name(id: string): string {
    const given = names.get(id) ?? `#${names.size + 1}`;
    names.set(id, given);
    return given;
  }

  return {
    lines,
    note: (owner: string, step: string) => void lines.push(`${owner} ${step}`.replaceAll(ID, name)),
    async look() {
      const rows = describeRows(await readSnapshot(store)).map((row) => row.replaceAll(ID, name));
      for (const row of rows) if (!known.has(row)) lines.push(`    ${row}`);
      known = new Set(rows);
    },
  };
}
