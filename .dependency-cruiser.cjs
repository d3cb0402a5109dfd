// Who may import whom. Run by `npm run check`.
const SERVICE = '^services/([^/]+)/';
// A service's own folders, or those of a room in it: `src/store` or `src/reports/store`.
const ROOM = 'src/(?:[^/]+/|)';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle means two files are one thing, or that something is in the wrong file.',
      severity: 'error',
      from: { path: '^(packages|services|deploy|bench|e2e)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'services-meet-through-proto',
      comment: 'A service never imports another; only bare statistics are shared with tools.',
      severity: 'error',
      from: { path: `${SERVICE}src/` },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'domain-is-pure',
      comment: 'Decisions know no I/O, no clock and no transport.',
      severity: 'error',
      from: { path: `${SERVICE}${ROOM}domain/`, pathNot: '\\.test\\.ts$' },
      to: {
        path: '.*',
        pathNot: [
          `^services/$1/${ROOM}domain/`,
          '^packages/platform/(src|dist)/(errors|merkle|signing|values)/',
          '^(node:)?crypto$',
          '^(node:)?net$',
          'node_modules/(ipaddr\\.js|otpauth)/',
        ],
      },
    },
    {
      name: 'only-rpc-and-consumers-know-proto',
      comment: 'The wire is translated at the edge of a service.',
      severity: 'error',
      from: { path: `${SERVICE}${ROOM}(domain|queries|store)/`, pathNot: '\\.test\\.ts$' },
      to: { path: '^proto/' },
    },
    {
      name: 'only-store-knows-sql',
      comment: 'SQL lives in store/; commands and queries call it.',
      severity: 'error',
      from: { path: `${SERVICE}${ROOM}(domain|rpc|consumers)` },
      to: { path: '(node_modules/(pg|knex)/|packages/platform/(src|dist)/db/statement)' },
    },
    {
      name: 'platform-stands-alone',
      comment: 'The platform knows no service and no public contract.',
      severity: 'error',
      from: { path: '^packages/platform/src/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(services|packages/(console|contract|drawing|furnishing|pages|portal|servers|testing)|deploy)/',
      },
    },
    {
      name: 'contract-stands-alone',
      comment: 'The public contract is declarations over the enums of the protos; it runs nothing.',
      severity: 'error',
      from: { path: '^packages/contract/src/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(services|packages/(console|drawing|furnishing|pages|platform|portal|servers|testing)|deploy)/',
        pathNot: '^packages/platform/(src|dist)/(errors|values)/',
      },
    },
    {
      name: 'drawing-stands-alone',
      comment:
        'Pictures are computed from what they show alone: pages and documents draw the same.',
      severity: 'error',
      from: { path: '^packages/drawing/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '.*', pathNot: '^packages/drawing/src/' },
    },
    {
      name: 'not-to-test',
      comment: 'Test code is not shipped.',
      severity: 'error',
      from: {
        path: '^(packages/(platform|console|contract|drawing|furnishing|pages|portal)|services)/.*/?src/',
        pathNot: '\\.test\\.ts$',
      },
      to: { path: ['\\.test\\.ts$', '^packages/(servers|testing)/'] },
    },
  ],
  options: {
    parser: 'swc',
    // It reads no JSX. The console's screens can import what its package names and nothing else.
    exclude: { path: '\\.tsx$' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '/dist/', '/gen/'] },
    moduleSystems: ['cjs', 'es6'],
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'default'],
    },
  },
};
