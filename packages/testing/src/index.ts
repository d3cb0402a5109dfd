export { type TestBus, testBus } from './bus';
export { CertificateFolder } from './certificates';
export { type TestDatabase, testDatabase, testLogger } from './database';
export { type Scan, watchPlans } from './plans';
export { startTestService, type TestService } from './service';
export { type ReceivedMail, SmtpSink, textOf, tokenIn } from './smtp-sink';
export { type TestValkey, testValkey } from './valkey';
