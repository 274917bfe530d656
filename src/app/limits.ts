import { getHeapStatistics } from 'node:v8';
import type { BodyLimits } from '../scim/http/limit-bodies.ts';
import type { Settings } from '../settings/schema.ts';
import type { OverloadLimits } from '../telemetry/overload.ts';
import type { ConnectionLimits } from './guarded-server.ts';

/** Which part of the heap may be filled: beyond it Node spends its time looking for room, and then ends. */
const HEAP_SHARE = 0.85;
/** Which part of the memory bodies may have as text; as objects they take a multiple of it. */
const BODIES_SHARE = 1 / 16;

/** What the settings say about whoever connects. */
export function toConnectionLimits({ server }: Pick<Settings, 'server'>): ConnectionLimits {
  return {
    requestMs: server.requestTimeout,
    answerMs: server.answerTimeout,
    idleMs: server.idleTimeout,
    connectionsMax: server.connectionsMax,
  };
}

/** How large bodies may be: whatever memory there is, two of the largest size have room. */
export function toBodyLimits({ server, scim }: Pick<Settings, 'server' | 'scim'>): BodyLimits {
  const { bodyBytesMax: bytesMax } = scim;
  return { bytesMax, totalMax: Math.max(toMemoryMax(server) * BODIES_SHARE, 2 * bytesMax) };
}

/** What the settings say about when the process has too much to do. */
export function toOverloadLimits({ server }: Pick<Settings, 'server'>): OverloadLimits {
  return { delayMaxMs: server.delayMax, memoryBytesMax: toMemoryMax(server) };
}

/** How much memory may be in use, in bytes. */
function toMemoryMax({ memoryMax }: Settings['server']): number {
  return memoryMax ?? getHeapStatistics().heap_size_limit * HEAP_SHARE;
}
