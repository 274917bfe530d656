import type { ResourceKey } from '../domain/ids.ts';
import { type ChangeRow, listTraces } from '../store/changes.ts';
import type { ReconcileDeps } from './deps.ts';

/** Traces that one step is shown in at most. */
const TRACES_MAX = 16;

/** Step, and the change that it was begun with, which the store does not have. */
interface TracedStep {
  readonly key: ResourceKey;
  readonly action: string;
  readonly change: ChangeRow | undefined;
}

/** Runs a step in the trace of the oldest change that waits for it, linked with those of the others. */
export async function traceStep<T>(
  { store, tracing }: ReconcileDeps,
  { key: { type, id }, action, change }: TracedStep,
  step: () => Promise<T>,
): Promise<T> {
  if (tracing?.isOn !== true) return step();
  // The change of a write that begins at once is not stored.
  const own = change?.trace ?? undefined;
  const traces = own === undefined ? await listTraces(store.read, id, TRACES_MAX) : [own];
  const [parent, ...links] = traces;
  // Work that no provider has asked for is shown by its calls alone.
  if (parent === undefined) return step();
  const attributes = { 'scim_bridge.resource_type': type, 'scim_bridge.action': action };
  const span = tracing.begin({ name: 'converge', kind: 'internal', parent, links, attributes });
  try {
    return await span.run(step);
  } finally {
    span.end();
  }
}
