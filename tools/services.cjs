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
      ['dev', 'prod'].map((overlay) => [
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

/** Every file that the table decides about, by its path; `read` gives what is there now. */
function filesOf(
  rpc,
  read = (file) => readFileSync(path.join(root, file), 'utf8'),
  drills = readDrills(),
) {
  checkTable(rpc);
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
  return files;
}

module.exports = { filesOf, readTable };
