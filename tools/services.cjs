// What is made of the table of services, deploy/services.json: the manifests of each service behind
// the gateway, and the parts of common files that name all services. `npm run gen` writes them and
// its --check holds them fresh. CommonJS, so that jest's configuration and tests can load it.
const { readFileSync } = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '..');

/** The table as it is; every reader outside of this file may read the JSON itself. */
function readTable(folder = root) {
  const { rpc } = parseTable(folder);
  checkTable(rpc);
  return rpc;
}

const parseTable = (folder) =>
  JSON.parse(readFileSync(path.join(folder, 'deploy/services.json'), 'utf8'));

/** The database servers whose backups are tried: the first one's drill is the model of the others'. */
function readDrills(folder = root) {
  const { drills } = parseTable(folder);
  for (const server of drills) {
    // The copy is named after it, and an instance after the copy.
    if (!/^[a-z][a-z-]{1,29}$/.test(server)) {
      throw new Error(`deploy/services.json: ${server} is no name of a server.`);
    }
  }
  return drills;
}

/** The servers of a network that has more than one. */
const readServers = (folder = root) => parseTable(folder).servers;

/** Throws a sentence about the first thing that would leave a service without its data, or give it two. */
function checkServers(servers, rpc) {
  const held = new Map();
  for (const { name, services, environments = ENVIRONMENTS, storage } of servers) {
    const refuse = (what) => {
      throw new Error(`deploy/services.json: ${name}: ${what}.`);
    };
    if (!/^[a-z][a-z-]{1,29}$/.test(name)) refuse('is no name of a server');
    if (!/^\d+Gi$/.test(storage ?? '')) refuse('storage is a number of Gi');
    for (const service_name of services) {
      const service = rpc.find((one) => one.name === service_name);
      if (service === undefined) refuse(`there is no service ${service_name}`);
      for (const [role] of rolesOn({ environments }, service)) {
        if (held.has(role)) refuse(`${role} is on ${held.get(role)} as well`);
        held.set(role, name);
      }
    }
  }
  for (const [role] of rpc.flatMap(rolesOf)) {
    if (servers.length > 0 && !held.has(role)) {
      throw new Error(`deploy/services.json: no server has ${role}.`);
    }
  }
}

const KNOWN = new Set(
  'name peers database bus documents mails secrets jobs calls_internet config cpu memory replicas'.split(
    ' ',
  ),
);

/** Throws a sentence about the first thing that no manifest could be made of. */
function checkTable(rpc) {
  const names = rpc.map(({ name }) => name);
  for (const [index, service] of rpc.entries()) {
    const { name, peers = [], database, config, cpu, memory, replicas } = service;
    const refuse = (what) => {
      throw new Error(`deploy/services.json: ${name}: ${what}.`);
    };
    // It becomes a DNS name, a database role and part of a variable's name.
    if (!/^[a-z]{2,20}$/.test(name)) refuse('a name is 2 to 20 small letters');
    if (['gateway', 'provision', 'stream', 'nats'].includes(name)) refuse('the name is taken');
    if (names.indexOf(name) !== index) refuse('stands there twice');
    for (const key of Object.keys(service)) if (!KNOWN.has(key)) refuse(`${key} means nothing`);
    for (const peer of peers) {
      if (peer === name || !names.includes(peer)) refuse(`there is no peer ${peer}`);
      // Calls run one way, so that services can be restarted in any order.
      if (names.indexOf(peer) > index) refuse(`its peer ${peer} must stand before it`);
    }
    if (!['one', 'two'].includes(database)) refuse('database is "one" or "two"');
    if (!cpu || !memory?.request || !memory.limit) refuse('cpu and memory must be given');
    if (!config?.LOG_LEVEL || !config.DB_POOL_SIZE) refuse('config needs LOG_LEVEL, DB_POOL_SIZE');
    if (replicas && !(replicas.least >= 2 && replicas.most >= replicas.least)) {
      refuse('replicas are at least 2, and at most no fewer');
    }
  }
}

const lines = (...parts) => `${parts.flat(2).join('\n')}\n`;
const pod = (name, indent) => [
  `${indent}- podSelector:`,
  `${indent}    matchLabels:`,
  `${indent}      app.kubernetes.io/name: ${name}`,
];
const port = (number) => ['      ports:', `        - { protocol: TCP, port: ${number} }`];

/** The folder of one service behind the gateway: texts by file name. */
function manifestsOf(service, rpc) {
  const { name } = service;
  const files = {
    'config.env': lines(Object.entries(service.config).map(([key, value]) => `${key}=${value}`)),
    'deployment.yaml': deployment(service),
    'disruption-budget.yaml': disruptionBudget(name),
    'kustomization.yaml': kustomization(service),
    'migrate.yaml': lines(
      ['apiVersion: batch/v1', 'kind: Job', 'metadata:', `  name: ${name}-migrate`, 'spec:'],
      ['  template:', '    spec:', `      serviceAccountName: ${name}`, '      containers:'],
      ['        - name: service', `          image: credit-network/${name}`],
    ),
    'network-policy.yaml': networkPolicy(service, rpc),
    'service-account.yaml': lines(
      ['apiVersion: v1', 'kind: ServiceAccount', 'metadata:', `  name: ${name}`],
      'automountServiceAccountToken: false',
    ),
    'service.yaml': lines(
      '# Without an address of its own: callers resolve the pods and spread their calls over them.',
      ['apiVersion: v1', 'kind: Service', 'metadata:', `  name: ${name}`, 'spec:'],
      ['  clusterIP: None', '  selector:', `    app.kubernetes.io/name: ${name}`],
      ['    app.kubernetes.io/component: server', '  ports:'],
      '    - { name: grpc, port: 9090, targetPort: grpc }',
      service.documents ? '    - { name: documents, port: 9092, targetPort: documents }' : [],
    ),
  };
  if (service.replicas) files['autoscaler.yaml'] = autoscaler(name, service.replicas);
  return files;
}

function kustomization({ name, jobs = [], replicas }) {
  const resources = 'service-account deployment service disruption-budget network-policy migrate';
  return lines(
    '# Made of deploy/services.json by `npm run gen`, like the files beside it.',
    ['apiVersion: kustomize.config.k8s.io/v1beta1', 'kind: Kustomization', 'resources:'],
    [...resources.split(' '), ...jobs, ...(replicas ? ['autoscaler'] : [])].map(
      (file) => `  - ${file}.yaml`,
    ),
    ['components:', '  - ../rpc', 'labels:', '  - pairs:'],
    [`      app.kubernetes.io/name: ${name}`, '    includeTemplates: true'],
    ['configMapGenerator:', `  - name: ${name}`, '    envs: [config.env]'],
    ['    options:', '      immutable: true'],
    jobs.length > 0 ? 'replacements:' : [],
    jobs.map((job) => `  - path: ${job}-like-the-service.yaml`),
  );
}

/** The roles of a service, each with the end of its variables' names. */
const rolesOf = ({ name, database }) =>
  database === 'one'
    ? [[name, '']]
    : [
        [`${name}_live`, '_LIVE'],
        [`${name}_test`, '_TEST'],
      ];

const ENVIRONMENTS = ['live', 'test'];

/** Those of them that a server has. */
const rolesOn = ({ environments = ENVIRONMENTS }, service) =>
  rolesOf(service).filter(
    ([, end]) => end === '' || environments.includes(end.slice(1).toLowerCase()),
  );

/** Where a service finds its secrets. */
const SECRETS_FOLDER = '/etc/credit/secrets';

function deployment(service) {
  const { name, peers = [], secrets = [], documents, cpu, memory } = service;
  const roles = rolesOf(service);
  const secret = (variable, from) => [
    `            - name: ${variable}`,
    '              valueFrom:',
    `                secretKeyRef: { ${from} }`,
  ];
  return lines(
    ['apiVersion: apps/v1', 'kind: Deployment', 'metadata:', `  name: ${name}`, 'spec:'],
    ['  selector:', '    matchLabels:', `      app.kubernetes.io/name: ${name}`],
    ['      app.kubernetes.io/component: server', '  template:', '    metadata:'],
    ['      labels:', '        app.kubernetes.io/component: server', '    spec:'],
    [`      serviceAccountName: ${name}`, '      containers:', '        - name: service'],
    `          image: credit-network/${name}`,
    documents ? ['          ports:', '            - { name: documents, containerPort: 9092 }'] : [],
    ['          envFrom:', `            - configMapRef: { name: ${name} }`, '          env:'],
    // Login and password in one, so that they change together.
    roles.map(([role, end]) =>
      secret(`DATABASE_LOGIN${end}`, `name: ${name}-database, key: ${role}_login`),
    ),
    roles.map(([, end]) => [
      `            - name: DATABASE_URL${end}`,
      `              value: "postgres://$(DATABASE_LOGIN${end})@database:5432/credit?sslmode=verify-full&sslrootcert=/etc/credit/tls/ca.crt"`,
    ]),
    // Files, which neither a process's environment nor a pod's description shows.
    secrets.map((given) => [
      ...(given.why ? [`            # ${given.why}`] : []),
      `            - name: ${given.variable}_FILE`,
      `              value: ${SECRETS_FOLDER}/${given.variable}`,
    ]),
    peers.map(
      (peer) =>
        `            - { name: ${peer.toUpperCase()}_ADDRESS, value: "dns:///${peer}:9090" }`,
    ),
    documents ? '            - { name: HTTP_ADDRESS, value: "0.0.0.0:9092" }' : [],
    ['          resources:', `            requests: { cpu: ${cpu}, memory: ${memory.request} }`],
    '            # No limit on the processor: throttled, a service is slow while its node is idle.',
    memory.why ? `            # ${memory.why}` : [],
    `            limits: { memory: ${memory.limit} }`,
    secrets.length > 0
      ? [
          '          volumeMounts:',
          `            - { name: secrets, mountPath: ${SECRETS_FOLDER}, readOnly: true }`,
        ]
      : [],
    ['      volumes:', '        - name: tls'],
    ['          projected:', '            defaultMode: 0440', '            sources:'],
    ['              - secret:', `                  name: ${name}-tls`],
    '                  items: [{ key: tls.crt, path: tls.crt }, { key: tls.key, path: tls.key }]',
    '              # Whom everybody believes: two authorities while one follows the other.',
    '              - secret: { name: credit-authorities, items: [{ key: ca.crt, path: ca.crt }] }',
    secrets.length > 0
      ? [
          ['        - name: secrets', '          projected:', '            defaultMode: 0440'],
          '            sources:',
          secrets.map((given) => [
            ['              - secret:', `                  name: ${given.secret}`],
            given.optional ? '                  optional: true' : [],
            `                  items: [{ key: ${given.key}, path: ${given.variable} }]`,
          ]),
        ].flat(3)
      : [],
  );
}

function disruptionBudget(name) {
  return lines(
    ['apiVersion: policy/v1', 'kind: PodDisruptionBudget', 'metadata:', `  name: ${name}`],
    ['  labels:', '    stage: serve', 'spec:', '  maxUnavailable: 1'],
    '  # A pod that never becomes ready must not keep its node from being drained.',
    ['  unhealthyPodEvictionPolicy: AlwaysAllow', '  selector:', '    matchLabels:'],
    [`      app.kubernetes.io/name: ${name}`, '      app.kubernetes.io/component: server'],
  );
}

function autoscaler(name, { least, most }) {
  return lines(
    ['apiVersion: autoscaling/v2', 'kind: HorizontalPodAutoscaler', 'metadata:'],
    [`  name: ${name}`, '  labels:', '    stage: serve', 'spec:', '  scaleTargetRef:'],
    ['    apiVersion: apps/v1', '    kind: Deployment', `    name: ${name}`],
    [`  minReplicas: ${least}`, `  maxReplicas: ${most}`, '  metrics:', '    - type: Resource'],
    ['      resource:', '        name: cpu', '        target:', '          type: Utilization'],
    ['          averageUtilization: 70', '  behavior:', '    scaleDown:'],
    '      # Pods that come and go cost more than one too many.',
    ['      stabilizationWindowSeconds: 600', '      policies:'],
    '        - { type: Pods, value: 1, periodSeconds: 120 }',
  );
}

function networkPolicy(service, rpc) {
  const { name, peers = [], documents, mails, calls_internet } = service;
  const callers = rpc.filter((other) => other.peers?.includes(name)).map((other) => other.name);
  return lines(
    ['apiVersion: networking.k8s.io/v1', 'kind: NetworkPolicy', 'metadata:', `  name: ${name}`],
    ['spec:', '  podSelector:', '    matchLabels:', `      app.kubernetes.io/name: ${name}`],
    ['  policyTypes: [Ingress, Egress]', '  ingress:', '    - from:'],
    ['gateway', ...callers].map((caller) => pod(caller, '        ')),
    port(9090),
    documents ? ['    - from:', ...pod('gateway', '        '), ...port(9092)] : [],
    ['  egress:', '    - to:', '        - podSelector:', '            matchLabels:'],
    '              cnpg.io/cluster: credit-db',
    port(5432),
    service.bus ? ['    - to:', ...pod('nats', '        '), ...port(4222)] : [],
    peers.map((peer) => [
      '    - to:',
      ...pod(peer, '        '),
      '              app.kubernetes.io/component: server',
      ...port(9090),
    ]),
    mails ? MAIL_SERVER : [],
    calls_internet ? RECEIVERS : [],
  );
}

const MAIL_SERVER = `    # The mail server; an overlay that knows its address narrows this.
    - to:
        - ipBlock:
            cidr: 0.0.0.0/0
            except: [169.254.0.0/16, 127.0.0.0/8]
      ports:
        - { protocol: TCP, port: 465 }
        - { protocol: TCP, port: 587 }`;

const RECEIVERS = `    # Receivers: any port of the public internet, and nothing private, nor metadata services. The
    # service checks every address it connects to as well.
    - to:
        - ipBlock:
            cidr: 0.0.0.0/0
            except:
              - 0.0.0.0/8
              - 10.0.0.0/8
              - 100.64.0.0/10
              - 127.0.0.0/8
              - 169.254.0.0/16
              - 172.16.0.0/12
              - 192.0.0.0/24
              - 192.0.2.0/24
              - 192.88.99.0/24
              - 192.168.0.0/16
              - 198.18.0.0/15
              - 198.51.100.0/24
              - 203.0.113.0/24
              - 224.0.0.0/4
              - 240.0.0.0/4
        - ipBlock:
            cidr: 2000::/3
            except:
              - 2001::/23
              - 2001:db8::/32
              - 2002::/16
              - 3fff::/20
      ports:
        - { protocol: TCP, port: 1, endPort: 65535 }`;

/** The places in common files that name all services: each pattern must be met exactly once. */
function placesOf(rpc) {
  const names = rpc.map(({ name }) => name);
  const on_bus = rpc.filter(({ bus }) => bus).map(({ name }) => name);
  const all = ['gateway', ...names];
  const block = (list, made) => list.map(made).join('');
  return {
    'deploy/k8s/base/kustomization.yaml': [
      [/(?<= {2}- stream\n)( {2}- \w+\n)+/, block(all, (name) => `  - ${name}\n`)],
    ],
    'deploy/k8s/base/provision/job.yaml': [
      [/(?<=DATABASE_SERVICES, value: ")[^"]*/, names.join(',')],
      [
        /( {14}- secret: \{ name: \w+-database \}\n)+/,
        block(names, (name) => `              - secret: { name: ${name}-database }\n`),
      ],
    ],
    'deploy/k8s/base/gateway/deployment.yaml': [
      [
        /( {12}- \{ name: [A-Z]+_ADDRESS, value: "dns:.*\n)+( {12}- \{ name: [A-Z]+_HTTP_ADDRESS.*\n)*/,
        block(
          names,
          (name) =>
            `            - { name: ${name.toUpperCase()}_ADDRESS, value: "dns:///${name}:9090" }\n`,
        ) +
          block(
            rpc.filter(({ documents }) => documents),
            ({ name }) =>
              `            - { name: ${name.toUpperCase()}_HTTP_ADDRESS, value: "${name}:9092" }\n`,
          ),
      ],
    ],
    'deploy/k8s/base/gateway/network-policy.yaml': [
      [
        /(?<= {2}egress:\n {4}- to:\n)( {8}.*\n)+/,
        block(
          names,
          (name) =>
            `${[...pod(name, '        '), '              app.kubernetes.io/component: server'].join('\n')}\n`,
        ),
      ],
    ],
    'deploy/k8s/components/cnpg/network-policy.yaml': [
      [/(?<=values: \[)[\w, ]+(?=, provision\])/, names.join(', ')],
    ],
    'deploy/k8s/components/restore/network-policy.yaml': [
      [/(?<=values: \[)[\w, ]+(?=, provision\])/, names.join(', ')],
    ],
    'deploy/k8s/components/nats/network-policy.yaml': [
      [/(?<=values: \[)[\w, ]+(?=, stream\])/, on_bus.join(', ')],
    ],
    'deploy/k8s/components/mtls/certificates.yaml': [
      [
        /(apiVersion[^\n]*\nkind: Certificate\nmetadata:\n {2}name: (?!stream\n)\w+\n(?:(?!---).*\n)+---\n)+(?=apiVersion[^\n]*\nkind: Certificate\nmetadata:\n {2}name: stream\n)/,
        block(all, certificate),
      ],
    ],
    'deploy/k8s/components/external-secrets/secrets.yaml': [
      [databaseSecrets('refreshInterval'), block(rpc, storedPasswords)],
    ],
    // Tags and registries are the operator's: what is there stays, and a new service gets the
    // gateway's registry and tag.
    ...Object.fromEntries(
      ['dev', 'prod', 'prod-large'].map((overlay) => [
        `deploy/k8s/overlays/${overlay}/kustomization.yaml`,
        [
          [/(?<=\nimages:\n)( {2}- .*\n( {4,}.*\n)*)+/, (found) => imagesOf(all, found)],
          ...(overlay === 'dev'
            ? [
                [
                  /(?<=\nconfigMapGenerator:\n)( {2}- .*\n( {4,}.*\n)*)+/,
                  (found) => levelsOf(names, found),
                ],
              ]
            : []),
        ],
      ]),
    ),
    'deploy/k8s/overlays/dev/secrets.yaml': [
      [databaseSecrets('refreshPolicy'), block(rpc, inventedPasswords)],
    ],
    'deploy/check/package.json': [
      [
        /( {4}"@credit\/(?!platform)\w+": "0\.1\.0",\n)+/,
        block([...all].sort(), (name) => `    "@credit/${name}": "0.1.0",\n`),
      ],
    ],
    'deploy/check/tsconfig.json': [
      [
        /( {4}\{ "path": "\.\.\/\.\.\/services\/\w+" \},?\n)+/,
        `${all.map((name) => `    { "path": "../../services/${name}" }`).join(',\n')}\n`,
      ],
    ],
    'deploy/k8s/components/prometheus-rules/rules.yaml': [
      [
        /( {12}or absent\(target_info\{service_name="\w+"\}\)\n)+/,
        block(all, (name) => `            or absent(target_info{service_name="${name}"})\n`),
      ],
      [/(?<=target_info\{service_name=~")[\w|]+(?="\}\) < 2)/, all.join('|')],
    ],
    'tools/observability/rules.test.yaml': [
      [
        /(?<=webhooks none, all others have their two\n {4}interval: 1m\n {4}input_series:\n)( {6}- .*\n)+/,
        block(
          all.filter((name) => name !== 'webhooks'),
          (name) =>
            block(
              name === 'disputes' ? ['a'] : ['a', 'b'],
              (pod_name) =>
                `      - { series: 'target_info{namespace="credit",service_name="${name}",pod="${pod_name}"}', values: 1x30 }\n`,
            ),
        ),
      ],
    ],
    'deploy/k8s/apply.sh': [[/(?<=for service in ).*(?= gateway; do)/, names.join(' ')]],
    'deploy/compose.yaml': [[/(?<=DATABASE_SERVICES: ).*/, names.join(',')]],
    'deploy/Dockerfile': [
      [
        /(COPY services\/\w+\/package\.json services\/\w+\/\n)+/,
        block(all, (name) => `COPY services/${name}/package.json services/${name}/\n`),
      ],
      [
        /(?<=--include-workspace-root \\\n)( {6}--workspace=.*\n)+/,
        `${all.map((name) => `      --workspace=services/${name}`).join(' \\\n')}\n`,
      ],
      [
        /RUN npx tsc --build (.*\\\n)*.*\n/,
        `RUN npx tsc --build ${all.map((name) => `services/${name}`).join(' \\\n      ')}\n`,
      ],
    ],
    'tsconfig.json': [
      [
        /( {4}\{\n {6}"path": "services\/\w+"\n {4}\},?\n)+(?= {2}\])/,
        `${all.map((name) => `    {\n      "path": "services/${name}"\n    }`).join(',\n')}\n`,
      ],
    ],
    'tsconfig.test.json': [
      [
        /( {6}"@credit\/\w+\/\*": \["\.\/services\/\w+\/src\/\*"\],?\n)+/,
        `${all.map((name) => `      "@credit/${name}/*": ["./services/${name}/src/*"]`).join(',\n')}\n`,
      ],
    ],
  };
}

const entriesOf = (found) => found.split(/(?=^ {2}- )/m);

function imagesOf(all, found) {
  const entries = entriesOf(found);
  const of = (name) => entries.find((entry) => entry.includes(`name: credit-network/${name},`));
  const model = of('gateway');
  if (model === undefined) throw new Error('An overlay has no image of the gateway.');
  const own = all.map((name) => of(name) ?? model.replaceAll('/gateway', `/${name}`));
  const others = entries.filter((entry) => !entry.includes('name: credit-network/'));
  return [...own, ...others].join('');
}

/** Debugging is on for every service of a development cluster, whatever else it is told there. */
function levelsOf(names, found) {
  const entries = entriesOf(found);
  const of = (name) => entries.find((entry) => entry.startsWith(`  - name: ${name}\n`));
  const missing = names.filter((name) => of(name) === undefined);
  const added = missing.map((name) =>
    lines(
      [`  - name: ${name}`, '    behavior: merge', '    options: { immutable: true }'],
      '    literals: [LOG_LEVEL=debug]',
    ),
  );
  return [...entries, ...added].join('');
}

/** A row of them, each with its end; `marker` is what their file's secrets begin with. */
const databaseSecrets = (marker) =>
  new RegExp(
    `(apiVersion: external-secrets\\.io/v1\\nkind: ExternalSecret\\nmetadata:\\n  name: \\w+-database\\nspec:\\n  ${marker}.*\\n(?:(?!---).*\\n)+---\\n)+`,
  );

const databaseSecret = (name, ...spec) =>
  lines(
    ['apiVersion: external-secrets.io/v1', 'kind: ExternalSecret', 'metadata:'],
    [`  name: ${name}-database`, 'spec:'],
    ...spec,
    '---',
  );

/** The second login of a role, as `loginName` of packages/platform/src/db/provision.ts has it. */
const loginsOf = (service) => rolesOf(service).flatMap(([role]) => [role, `${role}_b`]);

/** Passwords by login, for provisioning; and what the service logs in as, of which `chosen` says which. */
function loginTemplate(service, chosen) {
  return [
    ['  target:', '    template:', '      data:'],
    loginsOf(service).map((login) => `        ${login}: "{{ .${login} }}"`),
    rolesOf(service).map(([role]) => {
      const text = chosen(`${role}:{{ .${role} }}`, `${role}_b:{{ .${role}_b }}`);
      const quote = text.includes('"') ? "'" : '"';
      return `        ${role}_login: ${quote}${text}${quote}`;
    }),
  ].flat(2);
}

function storedPasswords(service) {
  return databaseSecret(
    service.name,
    ['  refreshInterval: 1h', '  secretStoreRef: { kind: SecretStore, name: credit }'],
    loginTemplate(
      service,
      (first, second) => `{{ if eq .login "second" }}${second}{{ else }}${first}{{ end }}`,
    ),
    ['  data:', '    # The login in use, of all services: first or second.'],
    ['login', ...loginsOf(service)].map((property) => [
      `    - secretKey: ${property}`,
      `      remoteRef: { key: credit-network/database, property: ${property} }`,
    ]),
  );
}

function inventedPasswords(service) {
  return databaseSecret(
    service.name,
    ['  refreshPolicy: CreatedOnce'],
    loginTemplate(service, (first) => first),
    ['  dataFrom:'],
    loginsOf(service).map((login) => [
      '    - sourceRef:',
      '        generatorRef:',
      '          { apiVersion: generators.external-secrets.io/v1alpha1, kind: Password, name: password }',
      '      rewrite:',
      `        - regexp: { source: password, target: ${login} }`,
    ]),
  );
}

function certificate(name) {
  return `apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: ${name}
spec:
  secretName: ${name}-tls
  # Callers are known by these names, and servers are checked against them.
  commonName: ${name}
  dnsNames: [${name}]
  duration: 8760h
  renewBefore: 2880h
  privateKey: { algorithm: ECDSA, size: 256, rotationPolicy: Always }
  usages: [digital signature, server auth, client auth]
  issuerRef: { name: credit-authority, kind: Issuer, group: cert-manager.io }
---
`;
}

const DRILLS = 'deploy/k8s/components/restore-drill';

/** The drills of all servers but the first, which is written by hand: they differ by the name alone. */
function drillsOf([model, ...others], read) {
  return Object.fromEntries(
    others.flatMap((server) =>
      ['cluster.yaml', 'drill.yaml', 'kustomization.yaml'].map((file) => [
        `${DRILLS}/${server}/${file}`,
        `# Made of ${model}'s by \`npm run gen\`.\n${read(`${DRILLS}/${model}/${file}`).replaceAll(model, server)}`,
      ]),
    ),
  );
}

const COMPONENTS = 'deploy/k8s/components';
const SERVERS = `${COMPONENTS}/servers`;
const MADE = '# Made of deploy/services.json and of what one server has by `npm run gen`.\n';
const documentsOf = (text) => text.split(/^---\n/m).map((document) => document.trimEnd());

/** Throws when a model is not as it has to be to become another's. */
function replaceOnce(text, from, to) {
  if (text.split(from).length !== 2) throw new Error(`A model does not have one ${from}.`);
  return text.replace(from, () => to);
}

/** A text of the one server's, of another one. */
const named = (text, model, name) =>
  text.replaceAll(`${model}-`, `${name}-`).replace(/\bcredit-db\b(?!-)/g, name);

/**
 * A component in which services have servers of their own: what production's one server has, for each; and
 * where each service finds its data, in the place of that one. Services that lead to a server have its name.
 */
function serversOf(servers, rpc, [model], read) {
  const of = (file) => read(`${COMPONENTS}/${file}`);
  const files = {};
  for (const server of servers) {
    const { name, services, storage } = server;
    const sized = (text) =>
      replaceOnce(text, 'storage: { size: 200Gi }', `storage: { size: ${storage} }`);
    const archive = of('cnpg-backups/archive.yaml').split('spec:\n')[1];
    const certificates = documentsOf(of('mtls/certificates.yaml')).filter((text) =>
      text.includes(`\n  name: ${model}`),
    );
    const policy = of('cnpg/network-policy.yaml')
      .replace(
        /values: \[[\w, ]+, provision\]/,
        `values: [${[...services, 'provision'].join(', ')}]`,
      )
      // It and its copy, and neither of them any other server.
      .replace(/^( *)- \{ key: cnpg\.io\/cluster, operator: Exists \}$/gm, (_, indent) =>
        [
          `${indent}- key: cnpg.io/cluster`,
          `${indent}  operator: In`,
          `${indent}  values: [${name}, restore-drill-${name}]`,
        ].join('\n'),
      )
      .replace(/^# (?:.*\n# )*.*\n/, '');
    files[`${SERVERS}/${name}.yaml`] =
      MADE +
      [
        sized(named(of('cnpg/cluster.yaml'), model, name)).trimEnd() +
          `\n${named(archive, model, name).trimEnd()}`,
        named(of('cnpg/service.yaml'), model, name)
          .replace(/^#.*\n#.*\n/, '')
          .replace('\n  name: database\n', `\n  name: ${name}\n`)
          .trimEnd(),
        ...certificates.map((text) =>
          named(text, model, name).replace(/^ {2}dnsNames: \[(.*)\]$/m, (_, list) =>
            ['  dnsNames:', ...list.replace(', database,', `, ${name},`).split(', ')].join(
              '\n    - ',
            ),
          ),
        ),
        ...documentsOf(named(of('cnpg-backups/backups.yaml'), model, name)),
        // Large enough that reading it back from the archive would take hours.
        ...documentsOf(named(of('cnpg-snapshots/snapshots.yaml'), model, name)),
        named(policy, model, name).trimEnd(),
      ].join('\n---\n') +
      '\n';
    Object.assign(files, drillOf(server, rpc, model, read));
  }
  // Of all servers together: where the archive and the Kubernetes API are.
  files[`${SERVERS}/network-policy.yaml`] = MADE + of('cnpg-backups/network-policy.yaml');
  files[`${SERVERS}/provision/jobs.yaml`] =
    MADE + servers.map((server) => provisionJob(server, model, read)).join('---\n');
  files[`${SERVERS}/addresses.yaml`] = MADE + addressesOf(servers, rpc).join('---\n');
  files[`${SERVERS}/kustomization.yaml`] = serversKustomization(
    servers,
    rpc,
    model,
    of('cnpg-snapshots/class.yaml'),
  );
  return files;
}

/** The Job that makes a server's roles: the one server's, with fewer of them. */
function provisionJob({ name, services, environments }, model, read) {
  const text = read('deploy/k8s/base/provision/job.yaml')
    .replace(/^# (?:.*\n# )*.*\n/, '')
    .replace('\n  name: provision\n', `\n  name: provision-${name}\n`)
    .replace('@database:', `@${name}:`)
    .replace(`${model}-app`, `${name}-app`)
    .replace(/(?<=DATABASE_SERVICES, value: ")[^"]*/, services.join(','))
    .replace(
      /( {14}- secret: \{ name: \w+-database \}\n)+/,
      services.map((one) => `              - secret: { name: ${one}-database }\n`).join(''),
    );
  if (environments === undefined) return text;
  return text.replace(
    / {12}- \{ name: DATABASE_SERVICES.*\n/,
    (line) =>
      `${line}            - { name: DATABASE_ENVIRONMENTS, value: "${environments.join(',')}" }\n`,
  );
}

const urlOn = (server, end, folder = 'tls') =>
  `postgres://$(DATABASE_LOGIN${end})@${server}:5432/credit?sslmode=verify-full&sslrootcert=/etc/credit/${folder}/ca.crt`;

/** The variable that a URL names its login by. */
const loginOf = ({ name }, role, end) => [
  `                - name: DATABASE_LOGIN${end}`,
  '                  valueFrom:',
  `                    secretKeyRef: { name: ${name}-database, key: ${role}_login }`,
];

/** Patches of all that is given a service's URLs: its Deployment, its migrations, its jobs. */
function addressesOf(servers, rpc) {
  return rpc.flatMap((service) => {
    // With the logins before them, which come first in what a patch makes of a list.
    const held = servers.flatMap((server) =>
      server.services.includes(service.name)
        ? rolesOn(server, service).map(([role, end]) => [server.name, role, end])
        : [],
    );
    const urls = [
      ...held.map(([, role, end]) => loginOf(service, role, end).map((line) => `  ${line}`)),
      ...held.map(([server, , end]) => [
        `                  - name: DATABASE_URL${end}`,
        `                    value: "${urlOn(server, end)}"`,
      ]),
      ...held.map(([server, , end]) => [
        `                  - name: DATABASE_REPLICA_URL${end}`,
        `                    value: "${urlOn(`${server}-ro`, end)}"`,
      ]),
    ];
    const patch = (api, kind, name, depth) => {
      const indent = (text) => text.replace(/^ {18}/, ' '.repeat(depth));
      const inside = ' '.repeat(depth - 4);
      const above =
        kind === 'CronJob'
          ? ['spec:', '  jobTemplate:', '    spec:', '      template:', '        spec:']
          : ['spec:', '  template:', '    spec:'];
      return lines(
        [`apiVersion: ${api}`, `kind: ${kind}`, 'metadata:', `  name: ${name}`],
        above,
        [`${inside.slice(2)}containers:`, `${inside}- name: service`, `${inside}  env:`],
        urls.flat().map(indent),
      );
    };
    return [
      patch('apps/v1', 'Deployment', service.name, 12),
      patch('batch/v1', 'Job', `${service.name}-migrate`, 12),
      ...(service.jobs ?? []).map((job) => patch('batch/v1', 'CronJob', job, 16)),
    ];
  });
}

function serversKustomization(servers, rpc, model, snapshots) {
  const names = servers.map(({ name }) => name);
  const deletion = (api, kind, name) =>
    lines(
      ['  - patch: |-', '      $patch: delete', `      apiVersion: ${api}`],
      [`      kind: ${kind}`, `      metadata: { name: ${name} }`],
    ).trimEnd();
  const reach = (policy, reached) =>
    lines(
      [`  - target: { kind: NetworkPolicy, name: ${policy} }`, '    patch: |-'],
      ['      - { op: test, path: /spec/egress/0/ports/0/port, value: 5432 }'],
      ['      - op: replace', '        path: /spec/egress/0/to', '        value:'],
      ['          - podSelector:', '              matchExpressions:'],
      [`                - { key: cnpg.io/cluster, operator: In, values: [${reached.join(', ')}] }`],
    ).trimEnd();
  return lines(
    '# Made of deploy/services.json by `npm run gen`: a database server for each of `servers` there, in the place of',
    '# the components cnpg and cnpg-backups. It goes after mtls and prometheus-rules.',
    ['apiVersion: kustomize.config.k8s.io/v1alpha1', 'kind: Component', 'resources:'],
    names.map((name) => `  - ${name}.yaml`),
    ['  - network-policy.yaml', '  - provision'],
    'components:',
    names.map((name) => `  - ../restore-drill/${name}`),
    'patches:',
    '  - path: addresses.yaml',
    // The one server's.
    deletion('batch/v1', 'Job', 'provision'),
    deletion('cert-manager.io/v1', 'Certificate', model),
    deletion('cert-manager.io/v1', 'Certificate', `${model}-replication`),
    rpc.map(({ name }) =>
      reach(
        name,
        servers.filter(({ services }) => services.includes(name)).map((server) => server.name),
      ),
    ),
    reach('provision', names),
    [`  - target: { kind: PodMonitor, name: ${model} }`, '    patch: |-'],
    ['      - op: replace', '        path: /spec/selector/matchExpressions/0/values'],
    `        value: [${names.join(', ')}]`,
    ['  - target: { kind: Cluster }', '    patch: |-'],
    snapshots
      .trimEnd()
      .split('\n')
      .map((line) => `      ${line}`),
  );
}

/** What a service's command is given beside its data, because its configuration asks for it. */
const ofCommand = ({ documents, peers = [] }) => [
  ...(documents ? ['                - { name: HTTP_ADDRESS, value: "127.0.0.1:0" }'] : []),
  ...peers.map(
    (peer) =>
      `                - { name: ${peer.toUpperCase()}_ADDRESS, value: "dns:///127.0.0.1:9090" }`,
  ),
];

/**
 * The drill of a server that has not everything: asked is whoever has something there, and verified what there
 * is to verify. A service that has one environment there is given it as both, which makes one of them.
 */
function drillOf(server, rpc, model, read) {
  const { name, services, storage } = server;
  const asked_name = services.includes('reporting') ? 'reporting' : services[0];
  const asked = rpc.find((one) => one.name === asked_name);
  const roles = rolesOn(server, asked);
  const ends = rolesOf(asked).map(([, end]) => end);
  const environment = (host) =>
    [
      ...ofCommand(asked),
      ...roles.map(([role, end]) => loginOf(asked, role, end)),
      ...ends.map((end) => [
        `                - name: DATABASE_URL${end}`,
        `                  value: "${urlOn(host, roles.some(([, has]) => has === end) ? end : roles[0][1], 'database')}"`,
      ]),
    ].flat();
  const drops = [
    ...(services.includes('reporting') ? [] : ['verify-record']),
    ...(services.includes('identity') ? [] : ['verify-audit']),
  ];
  const drill = named(read(`${DRILLS}/${model}/drill.yaml`), model, name)
    .split(/(?=^ {12}- name: )|(?=^ {10}containers:)|(?=^ {12}# )/m)
    .filter((step) => !drops.some((drop) => step.startsWith(`            - name: ${drop}\n`)))
    .map((step) => {
      const host = /@((?:restore-drill-)?[a-z-]+-rw):/.exec(step)?.[1];
      if (host === undefined || step.includes('[verify-audit]')) return step;
      return step
        .replace('image: credit-network/reporting', `image: credit-network/${asked.name}`)
        .replace(
          / {16}- name: DATABASE_LOGIN_LIVE\n(?:.*\n)*? {16}- name: DATABASE_URL_TEST\n.*\n/,
          `${environment(host).join('\n')}\n`,
        );
    })
    .join('');
  return {
    [`${DRILLS}/${name}/drill.yaml`]: MADE + drill,
    [`${DRILLS}/${name}/cluster.yaml`]:
      MADE +
      replaceOnce(
        named(read(`${DRILLS}/${model}/cluster.yaml`), model, name),
        'storage: { size: 200Gi }',
        `storage: { size: ${storage} }`,
      ),
    [`${DRILLS}/${name}/kustomization.yaml`]:
      MADE +
      named(read(`${DRILLS}/${model}/kustomization.yaml`), model, name).replace(/^#.*\n#.*\n/, ''),
  };
}

/** Every file that the table decides about, by its path; `read` gives what is there now. */
function filesOf(
  rpc,
  read = (file) => readFileSync(path.join(root, file), 'utf8'),
  drills = readDrills(),
  servers = readServers(),
) {
  checkTable(rpc);
  checkServers(servers, rpc);
  const files = drillsOf(drills, read);
  for (const service of rpc) {
    for (const [file, text] of Object.entries(manifestsOf(service, rpc))) {
      files[`deploy/k8s/base/${service.name}/${file}`] = text;
    }
  }
  for (const [file, places] of Object.entries(placesOf(rpc))) {
    files[file] = places.reduce((text, [pattern, made]) => {
      const found = text.match(new RegExp(pattern, `${pattern.flags}g`)) ?? [];
      if (found.length !== 1) {
        throw new Error(`${file}: ${found.length} places look like ${pattern}, not one.`);
      }
      return text.replace(pattern, (place) => (typeof made === 'function' ? made(place) : made));
    }, read(file));
  }
  Object.assign(
    files,
    serversOf(servers, rpc, drills, (file) => files[file] ?? read(file)),
  );
  return files;
}

module.exports = { filesOf, readTable };
