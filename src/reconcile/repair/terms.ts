import type { ProviderTerms, TermsChange } from '../../domain/provider.ts';
import { findStaged } from '../../domain/provider.ts';
import { toCellsAfter } from '../../rules/fields.ts';
import { toCellColumns } from '../../store/engine/columns.ts';
import { eachWaitingRow, lockPlans } from '../../store/plans.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { LIVE_MANAGED, readRows, updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { updateWhere } from '../../store/tables.ts';
import type { ProcessDeps } from '../deps.ts';
import { tellPlan } from '../plans.ts';
import { holdWaiting } from './recovery.ts';

/** Brings what a provider has sent under its new terms, in the transaction that changes them; what it returns has that followed, once it is stored. */
export async function followTerms(
  tx: Db,
  deps: ProcessDeps,
  { name, before, after }: TermsChange,
): Promise<() => void> {
  const now = deps.clock.now();
  await lockPlans(tx);
  for (const type of ['user', 'group'] as const) {
    const where = { provider: name, staged: { '<>': null }, ...LIVE_MANAGED } as const;
    for await (const rows of readRows(tx, type, { where }))
      for (const row of rows) await restage(tx, deps, row, after);
  }
  if (before.graceDays !== after.graceDays) {
    // Who was deleted before leaves by the new grace.
    const leaving = { type: 'user', provider: name, deleted_at: { '<>': null } } as const;
    await updateWhere(tx, 'resources', { ...leaving, due_at: { '>': now } }, { due_at: now });
  }
  const isObserved = before.mode === 'observe' && after.mode !== 'observe';
  const reason = 'it was asked for while its provider was observed';
  const plan = isObserved && (await holdWaiting(tx, deps, { source: 'provider', reason }, name));
  if (before.mode === 'paused' && after.mode === 'live')
    for await (const row of eachWaitingRow(tx, name)) await updateRow(tx, row, { due_at: now });
  return () => {
    deps.store.bell.ring('due');
    if (plan) tellPlan(deps.events, plan);
  };
}

/** Has what was kept from the service made, unless the terms still keep it. */
export async function restage(
  tx: Db,
  { clock, policy }: Pick<ProcessDeps, 'clock' | 'policy'>,
  row: ResourceRow,
  terms: ProviderTerms,
): Promise<void> {
  const staged = row.staged && findStaged(terms, row.type, row.attributes);
  if (staged === row.staged) return;
  const how = { version: row.version, deactivation: policy.deactivation };
  const cells = toCellsAfter({ ...row, staged }, { ...row, fields: [] }, how);
  const due = staged === null && { due_at: clock.now(), due_class: 1 as const };
  await updateRow(tx, row, { staged, ...toCellColumns(cells), ...due });
}
