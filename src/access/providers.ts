import { DEFAULT_PROVIDER, type ProviderLimits, RIGHTS } from '../domain/provider.ts';
import {
  type Belonging,
  deleteProvider,
  findBelonging,
  insertProvider,
  listProviders,
  lockProvider,
  type ProviderRow,
  parseLimits,
  toLimitColumns,
  updateProvider,
} from '../store/credentials/providers.ts';
import type { Db, Store } from '../store/store.ts';

/** An identity provider with what it may do. */
export interface Provider extends ProviderLimits {
  /** Order of creation; 0: the default one. */
  readonly seq: number;
  readonly name: string;
  /** Epoch milliseconds; null: the default one was always there. */
  readonly createdAt: number | null;
  /** The id of the credential that made it; null as well. */
  readonly createdBy: string | null;
}

/** Limits that a request names; the others stay as they are. */
type LimitsWish = Partial<ProviderLimits>;

/** Identity providers, each with its own people and groups. */
export interface Providers {
  /** Adds a provider; what `limits` leaves out has no limit. `by` is the id of the credential that asks. */
  create(
    name: string,
    limits: LimitsWish,
    by: string,
  ): Promise<{ readonly kind: 'made'; readonly provider: Provider } | { readonly kind: 'taken' }>;
  /** Lists providers, the newest first and the default one last. */
  list(part: { readonly beforeSeq: number; readonly limit: number }): Promise<Provider[]>;
  change(
    name: string,
    limits: LimitsWish,
  ): Promise<
    | { readonly kind: 'changed'; readonly before: Provider; readonly provider: Provider }
    | { readonly kind: 'unknown' | 'default' }
  >;
  /** Deletes a provider that nothing belongs to. */
  delete(
    name: string,
  ): Promise<
    | { readonly kind: 'deleted'; readonly provider: Provider }
    | { readonly kind: 'in-use'; readonly by: Belonging }
    | { readonly kind: 'unknown' | 'default' }
  >;
}

const WITHOUT_LIMITS: ProviderLimits = { domains: null, groupNames: null, may: RIGHTS };

const DEFAULT: Provider = {
  seq: 0,
  name: DEFAULT_PROVIDER,
  ...WITHOUT_LIMITS,
  createdAt: null,
  createdBy: null,
};

/** Keeps the providers of a store. */
export function createProviders({
  store,
  clock,
}: {
  readonly store: Store;
  readonly clock: { now(): number };
}): Providers {
  return {
    async create(name, limits, by) {
      const row = {
        ...{ name, ...toLimitColumns({ ...WITHOUT_LIMITS, ...limits }) },
        ...{ created_at: clock.now(), created_by: by },
      };
      if (name === DEFAULT_PROVIDER) return { kind: 'taken' };
      const made = await store.write((tx) => insertProvider(tx, row));
      return made === undefined ? { kind: 'taken' } : { kind: 'made', provider: toProvider(made) };
    },
    async list({ beforeSeq, limit }) {
      const providers = (await listProviders(store.read, { beforeSeq, limit })).map(toProvider);
      const isLast = providers.length < limit && beforeSeq > DEFAULT.seq;
      return isLast ? [...providers, DEFAULT] : providers;
    },
    async change(name, limits) {
      if (name === DEFAULT_PROVIDER) return { kind: 'default' };
      return store.write((tx) => change(tx, name, limits));
    },
    async delete(name) {
      if (name === DEFAULT_PROVIDER) return { kind: 'default' };
      return store.write((tx) => remove(tx, name));
    },
  };
}

async function change(tx: Db, name: string, limits: LimitsWish): ReturnType<Providers['change']> {
  const row = await lockProvider(tx, name);
  if (row === undefined) return { kind: 'unknown' };
  const before = toProvider(row);
  const columns = toLimitColumns({ ...before, ...limits });
  await updateProvider(tx, name, columns);
  return { kind: 'changed', before, provider: toProvider({ ...row, ...columns }) };
}

async function remove(tx: Db, name: string): ReturnType<Providers['delete']> {
  const row = await lockProvider(tx, name);
  if (row === undefined) return { kind: 'unknown' };
  const by = await findBelonging(tx, name);
  if (by !== undefined) return { kind: 'in-use', by };
  await deleteProvider(tx, name);
  return { kind: 'deleted', provider: toProvider(row) };
}

function toProvider(row: ProviderRow): Provider {
  const { seq, name, created_at: createdAt, created_by: createdBy } = row;
  return { seq, name, ...parseLimits(row), createdAt, createdBy };
}
