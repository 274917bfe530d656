// The public face of the mock: what the tests of other programs import as `@scim-bridge/client/mock`.
export {
  createMockService,
  type MockCall,
  type MockContent,
  MockFailure,
  type MockHandlers,
  type MockService,
} from './client/mock-service.ts';
