// The public face of the client: what other programs import as `scim-bridge/client`.
export type { ClientAttempt, ClientHooks, FinishedAttempt } from './client/client-hooks.ts';
export type { ClientCallOptions, ClientOperation } from './client/client-types.ts';
export type { ClientOptions } from './client/create-client.ts';
export { type Client, createClient } from './client/create-client.ts';
export type { PageCursor } from './client/page-cursor.ts';
export type { Entries, PaginateOptions } from './client/paginate.ts';
export type { AnswerBody } from './upstream/answer-body.ts';
export { type Outcome, UpstreamError, type UpstreamErrorCode } from './upstream/errors.ts';
export type { PositionedPage, RedirectTarget } from './upstream/operations/call-types.ts';
export type { FileInput, FileSource } from './upstream/operations/file-input.ts';
export type { Completeness } from './upstream/page-progress.ts';
export type { RawRequest } from './upstream/raw-request.ts';
