import { operationGroups } from '../upstream/operations/all.ts';
import type { Operation, OperationGroup } from '../upstream/operations/operation.ts';
import { restHandlers } from './http/rest.ts';
import { scimGroupHandlers } from './http/scim-groups.ts';
import { scimUserHandlers } from './http/scim-users.ts';

/** Handler of each imitated operation, by its name in the documentation. Nothing else has an answer. */
export const handlers = { ...scimUserHandlers, ...scimGroupHandlers, ...restHandlers };

/** Parts of the service that an account's rights or the company's tariff can shut. */
export const SECTIONS = ['users', 'groups', 'members', 'admins', 'companyUsers', 'audit'] as const;
/** One of these parts. */
export type Section = (typeof SECTIONS)[number];

/** Name of an imitated operation, such as `scim.addUser`. */
export type OperationName = keyof typeof handlers;

/** True for the name of an imitated operation. */
export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(handlers, name);
}

const rows = new Map(
  Object.values(operationGroups)
    .flatMap((group: OperationGroup) => Object.values(group))
    .map((row) => [row.id, row]),
);

/** The row of an imitated operation. */
export function getRow(name: OperationName): Operation {
  const row = rows.get(name);
  if (row === undefined) throw new Error(`there is no operation ${name}`);
  return row;
}

/** Section of an operation; undefined: it is open to every account. */
export function findSection(name: OperationName): Section | undefined {
  const { id, section } = getRow(name);
  return id.startsWith('groupEntities.') ? 'groups' : SECTIONS.find((known) => known === section);
}

/** What a request asks for: an operation with the parameters of its path, or nothing that is imitated. */
type Match =
  | { readonly kind: 'operation'; readonly operation: OperationName; readonly params: string[] }
  | { readonly kind: 'wrong-method' | 'unknown-path' };

const routes = Object.keys(handlers)
  .filter(isOperationName)
  .map((operation) => {
    const { api, method, path } = getRow(operation);
    const prefix = api === 'rest' ? '/api/(?:latest|v1)' : '';
    const pattern = new RegExp(`^${prefix}${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
    return { operation, method, pattern };
  });

/** Finds the operation of a request. */
export function matchOperation(method: string, path: string): Match {
  let kind: 'wrong-method' | 'unknown-path' = 'unknown-path';
  for (const route of routes) {
    const params = route.pattern.exec(path)?.slice(1).map(decode);
    if (params === undefined || params.includes('')) continue;
    if (route.method === method) return { kind: 'operation', operation: route.operation, params };
    kind = 'wrong-method';
  }
  return { kind };
}

/** Empty for a malformed escape: no resource has such a path. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
