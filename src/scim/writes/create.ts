import { withSchemas } from '../../domain/extensions.ts';
import { foldCase } from '../../domain/fold.ts';
import type { ResourceKey } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { passIds, saveDispute } from '../../store/resources/names.ts';
import { revive } from '../../store/resources/revive.ts';
import { insertRow, type RowOf } from '../../store/resources/rows.ts';
import type { Before } from '../../store/resources/state.ts';
import type { Origin } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import { conflict } from '../errors.ts';
import { UNCOUNTED } from '../repairs.ts';
import { applyChange, WORDS } from './change.ts';
import type { Accepted, Asked, Disputed, WriteKind } from './kind.ts';

/** A new user or group. */
interface Creation<Type extends ResourceKey['type']> {
  readonly asked: Asked;
  readonly origin: Origin;
  /** The deleted one that it is made of; undefined: there is none. */
  readonly from: RowOf<Type> | undefined;
  /** State of what the service holds before, for a refusal. */
  readonly before: Before | undefined;
  /** True when the provider knows it by the ids of the deleted one too. */
  readonly hasFormerIds: boolean;
}

/** Inserts a user or group, or revives a deleted one, and marks the changes that it waits for. */
export async function insertNew<Type extends ResourceKey['type'], Field extends string>(
  tx: Db,
  deps: ProviderDeps,
  kind: WriteKind<Type, Field>,
  { asked, origin, from, before, hasFormerIds }: Creation<Type>,
): Promise<Accepted> {
  const now = deps.clock.now();
  const { provider } = deps;
  const document = withSchemas(kind.fields.schema, asked.attributes);
  const draft = kind.toNewRow({
    origin,
    provider,
    ...kind.fields.toColumns(document),
    created_at: now,
    modified_at: now,
    ...(deps.looksFirst() ? { must_look: 1 } : {}),
  });
  const row = from ? await revive(tx, from, draft, now) : await insertRow(tx, draft);
  const accepted = await applyChange(tx, deps, kind, {
    row,
    origin,
    before: document,
    asked: { ...asked, attributes: document },
    repairs: UNCOUNTED,
    created: { from: before },
  });
  if (!hasFormerIds || from === undefined) return accepted;
  const ids = { from: from.id, to: row.id };
  await passIds(tx, { resource_type: kind.fields.type, provider, ...ids, now });
  return { ...accepted, hasFormerIds };
}

/**
 * Takes over what the service has already. Its SCIM id stays, because lists have shown it all along.
 * @throws ScimError 409 when the settings or a privilege forbid it
 * @throws PrivilegeUnknown
 */
export async function adoptFound<Type extends ResourceKey['type'], Field extends string>(
  tx: Db,
  deps: ProviderDeps,
  kind: WriteKind<Type, Field>,
  { row, asked }: { readonly row: RowOf<Type>; readonly asked: Asked },
): Promise<Accepted | Disputed> {
  const { type } = kind.fields;
  const privilege = await kind.findPrivilege(tx, deps, row);
  if (privilege !== undefined) throw conflict(`${privilege} An operator can adopt it.`);
  const policy = deps.policy[kind.adopts];
  const there = `The ${WORDS[type]} exists in the service`;
  if (policy === 'refuse') throw conflict(`${there} and the settings forbid taking it over.`);
  const waits = `${there}. An operator has to decide whether it is taken over.`;
  if (policy === 'ask') return dispute(tx, deps, { type, name: row.name }, waits);
  const adopted = await kind.takeOver(tx, deps, row);
  const before = parseStored<JsonObject>(row.attributes);
  const change = { row: adopted, origin: null, before, asked, repairs: UNCOUNTED };
  return applyChange(tx, deps, kind, change);
}

/** Records a case that only an operator can decide; the provider gets the same words. */
export async function dispute(
  tx: Db,
  { clock, events }: ProviderDeps,
  { type, name }: { readonly type: ResourceKey['type']; readonly name: string },
  detail: string,
): Promise<Disputed> {
  const found = { type, nameFolded: foldCase(name), reason: detail, now: clock.now() };
  if (await saveDispute(tx, found)) events.disputed({ type });
  return { kind: 'disputed', detail };
}
