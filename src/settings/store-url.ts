import type { Settings } from './schema.ts';

/** Where the data is kept. The sandbox has a default of its own: a store belongs to one service for ever. */
export function toStoreUrl({ database, upstream }: Settings): string {
  const isSandbox = upstream.url === undefined;
  return database.url ?? (isSandbox ? 'sqlite:data/sandbox-bridge.db' : 'sqlite:data/bridge.db');
}
