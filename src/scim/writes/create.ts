import type { ResourceKey } from '../../domain/values.ts';
import { toColumns } from '../../store/engine/columns.ts';
import { passIds } from '../../store/resources/names.ts';
import type { RowOf } from '../../store/resources/rows.ts';
import { insertRow, revive } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import type { ResourceInput } from '../dialect/parse-body.ts';
import { conflict } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import { UNCOUNTED } from '../repairs.ts';
import { applyChange, storeChange, takeOver, WORDS } from './change.ts';
import type { Accepted, Asked, Match, WriteKind } from './kind.ts';
import { Dispute } from './kind.ts';
import { assertWhole, assertWithinLimits } from './wall.ts';

type Type = ResourceKey['type'];

/** Stores a new user or group, or takes over the one that the service already has. @throws ScimError 400, 403, 409, PrivilegeUnknown */
export async function create<T extends Type>(
  tx: Db,
  deps: ProviderDeps,
  kind: WriteKind<T>,
  { input, repairs }: { readonly input: ResourceInput; readonly repairs: Repairs },
): Promise<Accepted> {
  const { type } = kind;
  const asked = kind.toNew(deps, input, repairs);
  assertWhole(deps, type, asked);
  const match = await kind.match(tx, deps, asked, repairs);
  const { row } = match;
  const { active = true } = asked.attributes;
  const staged = await assertWithinLimits(tx, deps, type, { ...asked, row });
  switch (match.kind) {
    case 'refused':
      throw match.refusal;
    case 'returning':
      // As a PUT does, and active unless it says otherwise.
      return storeChange(tx, deps, kind, {
        target: { id: match.row.id, preconditions: {} },
        ask: async (_tx, { attributes }) => ({
          ...asked,
          attributes: { ...kind.toReplacement(attributes, input), active },
          names: new Set([...input.mentioned, 'active']),
        }),
        repairs: UNCOUNTED,
      });
    case 'unmanaged': {
      const attributes = kind.toAdopted(match.row.attributes, asked, input);
      return adoptFound(tx, deps, kind, { row: match.row, asked: { ...asked, attributes } });
    }
    case 'new':
      return insertNew(tx, deps, kind, { ...match, asked: { ...asked, ...match.asked, staged } });
  }
}

/** Inserts a user or group, or revives a deleted one, and marks the changes that it waits for. */
async function insertNew<T extends Type>(
  tx: Db,
  deps: ProviderDeps,
  kind: WriteKind<T>,
  { asked, origin, row: from, before, hasFormerIds }: Match<T> & { kind: 'new'; asked: Asked },
): Promise<Accepted> {
  const now = deps.clock.now();
  const { provider } = deps;
  const draft = kind.toNewRow({
    origin,
    provider,
    ...toColumns(kind.type, asked.attributes),
    inner_groups: [],
    created_at: now,
    modified_at: now,
    staged: asked.staged ?? null,
    ...(deps.looksFirst() && !asked.staged ? { must_look: 1 } : {}),
  });
  const row = from ? await revive(tx, from, draft, now) : await insertRow(tx, draft);
  const accepted = await applyChange(tx, deps, kind, {
    row,
    origin,
    asked,
    repairs: UNCOUNTED,
    created: { from: before },
  });
  if (!hasFormerIds || from === undefined) return accepted;
  const owner = { resource_type: kind.type, resource_id: row.id, provider, created_at: now };
  await passIds(tx, { from: from.id, ...owner });
  return { ...accepted, hasFormerIds };
}

/** Takes over what the service has already; its SCIM id stays. @throws ScimError 409 when the settings or a privilege forbid it */
async function adoptFound<T extends Type>(
  tx: Db,
  deps: ProviderDeps,
  kind: WriteKind<T>,
  { row, asked }: { row: RowOf<T>; asked: Asked },
): Promise<Accepted> {
  const { type } = kind;
  const privilege = await kind.findPrivilege(tx, deps, row);
  if (privilege !== undefined) throw conflict(`${privilege} An operator can adopt it.`);
  const policy = deps.policy.adopt[type];
  const there = `The ${WORDS[type]} exists in the service`;
  if (policy === 'refuse') throw conflict(`${there} and the settings forbid taking it over.`);
  const waits = `${there}. An operator has to decide whether it is taken over.`;
  if (policy === 'ask') throw new Dispute(waits, { type, name: row.name });
  const adopted = await takeOver(tx, deps, kind, row);
  return applyChange(tx, deps, kind, { row: adopted, origin: null, asked, repairs: UNCOUNTED });
}
