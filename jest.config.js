const { readTable } = require('./tools/services.cjs');

// Unit tests (*.test.ts) are pure; integration tests (*.int.test.ts) bring real
// servers; e2e runs the built services. All compile TypeScript with swc.
const services = ['gateway', ...readTable().map(({ name }) => name)].join('|');

const common = {
  rootDir: __dirname,
  testEnvironment: 'node',
  transform: {
    '^.+\\.tsx$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', tsx: true },
          target: 'es2024',
          transform: { react: { runtime: 'automatic', importSource: 'hono/jsx' } },
        },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
    '^.+\\.[cm]?[jt]s$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Some packages are there as modules only, which jest does not load as Node does.
  transformIgnorePatterns: [
    '/node_modules/(?!(?:openid-client|oauth4webapi|jose)/)',
    '^(?!.*/node_modules/).*/dist/',
  ],
  modulePathIgnorePatterns: ['/dist/', '/\\.data/', '/\\.tmp/'],
  moduleNameMapper: {
    '^@credit/proto/descriptors$': '<rootDir>/proto/src/descriptors.ts',
    '^@credit/proto/grpc/(.*)$': '<rootDir>/proto/src/gen/grpc/$1.ts',
    '^@credit/proto/(.*)$': '<rootDir>/proto/src/gen/credit/$1.ts',
    '^@credit/platform/(.*)$': '<rootDir>/packages/platform/src/$1/index.ts',
    '^@credit/testing/openapi$': '<rootDir>/packages/testing/src/openapi/index.ts',
    '^@credit/local$': '<rootDir>/deploy/local/src/index.ts',
    '^@credit/local/(.*)$': '<rootDir>/deploy/local/src/$1.ts',
    '^@credit/(console|contract|drawing|furnishing|pages|portal|servers|testing)$':
      '<rootDir>/packages/$1/src/index.ts',
    '^@credit/scoring/research/(.*)$': '<rootDir>/services/scoring/research/$1.ts',
    [`^@credit/(${services})/(.*)$`]: '<rootDir>/services/$1/src/$2.ts',
  },
};

const ignored = ['/node_modules/', '/dist/'];

module.exports = {
  // Much of a run waits: for minutes of limits, for what follows an answer. Two files at once fill two
  // processors; more of them would each start systems of six services.
  maxWorkers: 2,
  // A hook that brings a database up takes longer beside another file's system.
  testTimeout: 20_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      testRegex: ['(?<!\\.int)\\.test\\.ts$'],
      // Of e2e only what judges and plans runs with faults, which needs no system.
      testPathIgnorePatterns: [...ignored, '<rootDir>/e2e/(?!faults/)'],
    },
    {
      ...common,
      displayName: 'integration',
      testRegex: ['\\.int\\.test\\.ts$'],
      testPathIgnorePatterns: ignored,
      globalSetup: '<rootDir>/packages/testing/jest-set-up.js',
      globalTeardown: '<rootDir>/packages/testing/jest-tear-down.js',
    },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/e2e/**/*.test.ts'],
      globalSetup: '<rootDir>/e2e/support/lend-system.ts',
      globalTeardown: '<rootDir>/e2e/support/end-lent-system.ts',
      setupFilesAfterEnv: ['<rootDir>/e2e/support/check-answers.ts'],
      testPathIgnorePatterns: [...ignored, '<rootDir>/e2e/faults/'],
    },
  ],
};
