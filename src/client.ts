// The public face of the client: what other programs import as `scim-bridge/client`.
export type { ClientOptions } from './client/client-options.ts';
export type { ClientCallOptions, ClientOperation } from './client/client-types.ts';
export { type Client, createClient } from './client/create-client.ts';
export { UpstreamError } from './upstream/errors.ts';
export type { FileInput, FileSource } from './upstream/operations/file-input.ts';
