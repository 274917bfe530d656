import type { Settings } from './schema.ts';

/** Address of the store. The sandbox has its own default: a store belongs to one service for ever. */
export function toStoreUrl({ database, upstream }: Settings): string {
  const isSandbox = upstream.url === undefined;
  return database.url ?? (isSandbox ? 'sqlite:data/sandbox-bridge.db' : 'sqlite:data/bridge.db');
}
