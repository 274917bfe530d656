import { resolve } from 'node:path';
import type { Settings } from './schema.ts';

/** Address of the store. The sandbox has its own default: a store belongs to one service for ever. */
export function toStoreUrl({ database, upstream }: Settings): string {
  const isSandbox = upstream.url === undefined;
  return database.url ?? (isSandbox ? 'sqlite:data/sandbox-bridge.db' : 'sqlite:data/bridge.db');
}

/** Finds the whole path of the store's file; undefined: the store is PostgreSQL. */
export function findStoreFile(settings: Settings): string | undefined {
  const path = /^sqlite:(.+)$/.exec(toStoreUrl(settings))?.[1];
  return path === undefined ? undefined : resolve(path);
}
