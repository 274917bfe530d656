import {
  DEFAULT_HANDLING,
  DEFAULT_PROVIDER,
  type Handling,
  type ProviderLimits,
  RIGHTS,
} from '../domain/provider.ts';
import {
  findBelonging,
  findHandling,
  type ProviderRow,
  parseHandling,
  parseLimits,
  toLimitColumns,
} from '../store/credentials/providers.ts';
import type { Db } from '../store/store.ts';
import {
  deleteWhere,
  findOne,
  insertNew,
  listNewest,
  type NewestPart,
  updateWhere,
} from '../store/tables.ts';
import type { TokensDeps } from './tokens.ts';

/** An identity provider with what it may do, and how its requests are taken. */
export interface Provider extends ProviderLimits, Handling {
  /** Order of creation; 0: the default one. */
  readonly seq: number;
  readonly name: string;
  /** Epoch milliseconds; null: the default one was always there. */
  readonly createdAt: number | null;
  /** The id of the credential that made it; null as well. */
  readonly createdBy: string | null;
}

/** Limits and choices that a request names; the others stay as they are. */
export interface ProviderWish {
  readonly limits: Partial<ProviderLimits>;
  readonly handling: { readonly [Name in keyof Handling]?: Handling[Name] | undefined };
}

const WITHOUT_LIMITS: ProviderLimits = { domains: null, groupNames: null, may: RIGHTS };

const DEFAULT: Provider = {
  seq: 0,
  name: DEFAULT_PROVIDER,
  ...WITHOUT_LIMITS,
  ...DEFAULT_HANDLING,
  createdAt: null,
  createdBy: null,
};
const NOTHING_CHOSEN: ProviderWish = { limits: {}, handling: {} };

/** Keeps the identity providers of a store, each with its own people and groups. */
export function createProviders({ store, clock }: Pick<TokensDeps, 'store' | 'clock'>) {
  const toRow = (name: string, { limits, handling }: ProviderWish, by: string) => ({
    ...{ name, ...toLimitColumns({ ...WITHOUT_LIMITS, ...limits }) },
    ...{ handling: JSON.stringify(handling), created_at: clock.now(), created_by: by },
  });
  return {
    /** Adds a provider; a limit that is left out is none. `by` is the id of the credential that asks. */
    async create(name: string, wish: ProviderWish, by: string) {
      if (name === DEFAULT_PROVIDER) return { kind: 'taken' } as const;
      const [made] = await store.write((tx) => insertNew(tx, 'providers', [toRow(name, wish, by)]));
      if (made === undefined) return { kind: 'taken' } as const;
      return { kind: 'made', provider: toProvider(made) } as const;
    },
    /** Lists providers, the newest first and the default one last. */
    async list(part: NewestPart) {
      const others = { name: { '<>': DEFAULT_PROVIDER } };
      const providers = (await listNewest(store.read, 'providers', others, part)).map(toProvider);
      if (providers.length === part.limit || part.from <= DEFAULT.seq) return providers;
      return [...providers, { ...DEFAULT, ...(await findHandling(store.read, DEFAULT_PROVIDER)) }];
    },
    /** Changes a provider; the default one has no limits (`default`). */
    async change(name: string, wish: ProviderWish, by: string) {
      const isDefault = name === DEFAULT_PROVIDER;
      if (isDefault && Object.keys(wish.limits).length > 0) return { kind: 'default' } as const;
      return store.write(async (tx) => {
        if (isDefault) await insertNew(tx, 'providers', [toRow(name, NOTHING_CHOSEN, by)]);
        return change(tx, name, wish);
      });
    },
    /** Deletes a provider that nothing belongs to. */
    async delete(name: string) {
      if (name === DEFAULT_PROVIDER) return { kind: 'default' } as const;
      return store.write((tx) => remove(tx, name));
    },
  };
}

async function change(tx: Db, name: string, { limits, handling: chosen }: ProviderWish) {
  const row = await findOne(tx, 'providers', { name }, { lock: true });
  if (row === undefined) return { kind: 'unknown' } as const;
  const before = toProvider(row);
  const handling = JSON.stringify({ ...parseHandling(row), ...chosen });
  const columns = { ...toLimitColumns({ ...before, ...limits }), handling };
  await updateWhere(tx, 'providers', { name }, columns);
  return { kind: 'changed', before, provider: toProvider({ ...row, ...columns }) } as const;
}

async function remove(tx: Db, name: string) {
  const row = await findOne(tx, 'providers', { name }, { lock: true });
  if (row === undefined) return { kind: 'unknown' } as const;
  const by = await findBelonging(tx, name);
  if (by !== undefined) return { kind: 'in-use', by } as const;
  await deleteWhere(tx, 'providers', { name });
  return { kind: 'deleted', provider: toProvider(row) } as const;
}

function toProvider(row: ProviderRow): Provider {
  const { seq, name, created_at: createdAt, created_by: createdBy } = row;
  const made = name === DEFAULT_PROVIDER ? DEFAULT : { seq, createdAt, createdBy };
  return { ...made, name, ...parseLimits(row), ...parseHandling(row) };
}
