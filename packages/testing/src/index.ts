export { type TestBus, testBus } from './bus';
export { type TestDatabase, testDatabase, testLogger } from './database';
export { startTestService, type TestService } from './service';
