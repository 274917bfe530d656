import { operationGroups } from '../upstream/operations/all.ts';
import type { Operation, OperationGroup, Section } from '../upstream/operations/operation.ts';
import { restHandlers } from './http/rest.ts';
import { scimHandlers } from './http/scim.ts';

/** Handler of each imitated operation, by its name in the documentation. Nothing else has an answer. */
export const handlers = { ...scimHandlers, ...restHandlers };

/** Name of an imitated operation, such as `scim.addUser`. */
export type OperationName = keyof typeof handlers;

/** True for the name of an imitated operation. */
export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(handlers, name);
}

const rows = Object.values(operationGroups).flatMap((group: OperationGroup) =>
  Object.values(group),
);

/** The row of an imitated operation. */
export function getRow(name: OperationName): Operation {
  const row = rows.find(({ id }) => id === name);
  if (row === undefined) throw new Error(`there is no operation ${name}`);
  return row;
}

/** Part of the service that an account's rights or the company's tariff can shut; undefined: it is open to every account. */
export function findSection(name: OperationName): Section | undefined {
  const { id, section } = getRow(name);
  return id.startsWith('groupEntities.') ? 'groups' : section;
}

const names = Object.keys(handlers).filter(isOperationName);

/** True for the section of an imitated operation. */
export function isSection(name: string): name is Section {
  return names.some((operation) => findSection(operation) === name);
}

const routes = names.map((operation) => {
  const { api, method, path } = getRow(operation);
  const prefix = api === 'rest' ? '/api/(?:latest|v1)' : '';
  const pattern = new RegExp(`^${prefix}${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
  return { operation, method, pattern };
});

/** What a request asks for: an operation with the parameters of its path, or the status of what is not imitated. */
type Match =
  | { readonly operation: OperationName; readonly params: string[] }
  | { readonly operation: 'unknown'; readonly status: 404 | 405 };

/** Finds the operation of a request. */
export function matchOperation(method: string, path: string): Match {
  let status: 404 | 405 = 404;
  for (const { pattern, operation, method: own } of routes) {
    const params = pattern.exec(path)?.slice(1);
    if (params === undefined) continue;
    if (own === method) return { operation, params };
    status = 405;
  }
  return { operation: 'unknown', status };
}
