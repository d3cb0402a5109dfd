// Goes through documents as somebody would who is woken by an alert: everything that they have one
// type exists, and nothing that is deployed keeps it from working or undoes it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { metricsOf } from '../../../../tools/metrics-of.cjs';
import { ROOT } from '../kustomize';
import {
  type Finding,
  type Manifest,
  type NetworkPolicySpec,
  ofKind,
  selects,
  type Workload,
  workloadsOf,
} from '../manifest';
import { bareMetric, type Known, readKnown } from './known';
import { type Snippet, snippetsOf } from './markdown';
import { commandsOf, type Words } from './shell';
import { ANNOTATIONS, BUILTINS, IN_CONTAINERS, KINDS, TOOLS } from './tools';

const FOLDER = 'docs/runbooks';
const OTHER_DOCUMENTS = ['docs/DEPLOYMENT.md', 'docs/SECRETS.md'];

/** The commands that docs/runbooks/README.md defines, with how many words each takes at least. */
const OWN_FUNCTIONS: Readonly<Record<string, number>> = {
  credit: 2,
  logs: 1,
  metrics: 1,
  replicas: 2,
};

/** What asks for the public address. */
const PROBE = 'public-probe';

/** Namespaces that are others': what is in them is not ours to know. */
const OTHER_NAMESPACES = new Set(['cert-manager', 'cnpg-system', 'gateway-system', 'monitoring']);

const EXPRESSION =
  /^(?:max|min|sum|count|avg|deriv|rate|increase|histogram_quantile|time)(?: (?:by|without) )?\s*\(|^[a-z][a-z0-9_:]*\{/;
const METRIC = /^[a-z][a-z0-9_]*_(?:seconds|total|bytes|count|bucket)$/;
const OPERATION = /^(GET|POST|PUT|PATCH|DELETE) (\/[^ ]*)$/;
const WRITES_FILES = /--(?:cpu-prof|heap-prof|heapsnapshot-signal|report-on-signal)(?![a-z-])/;
const WRITES_TO = /--(?:cpu-prof-dir|heap-prof-dir|diagnostic-dir|report-dir)=([^ '"]+)/;
/** Something to be replaced: NAME, POD, EVENT_ID, $pod. */
const PLACEHOLDER = /^[A-Z][A-Z_]*$|\$/;
/** What the Kubernetes API asks of a pod in the asker's name; a node's kubelet is beyond our policies. */
const PROXIED = /\/(?:pods|services)\/[^/]+\/proxy\//;

/** Walks every runbook, and what they lead to. */
export function checkRunbooks(manifests: readonly Manifest[]): Finding[] {
  const known = readKnown(manifests);
  const runbooks = readdirSync(path.join(ROOT, FOLDER)).map((name) => path.join(FOLDER, name));
  return [...runbooks, ...OTHER_DOCUMENTS].flatMap((name) =>
    walk(name, readFileSync(path.join(ROOT, name), 'utf8'), known),
  );
}

/** Walks one document. */
export function walk(title: string, markdown: string, known: Known): Finding[] {
  return new Walk(title, known).through(snippetsOf(markdown));
}

class Walk {
  private readonly findings: Finding[] = [];
  private readonly workloads: readonly Workload[];
  /** Deployments that the document has set to no replicas: their autoscalers sleep. */
  private readonly asleep = new Set<string>();

  constructor(
    private readonly title: string,
    private readonly known: Known,
  ) {
    this.workloads = workloadsOf(known.manifests);
  }

  through(snippets: readonly Snippet[]): Finding[] {
    for (const { language, text } of snippets) {
      this.writes(text);
      const [first = '', second] = text.trim().split(/\s/);
      // A program's name alone is only spoken of.
      if (language === 'sh' || (isProgram(first) && second !== undefined)) this.script(text);
      else if (language === 'inline') this.inline(text);
      // Runbooks have expressions in fences of no language, others whatever is shown.
      else if (language === '' && !OTHER_DOCUMENTS.includes(this.title)) this.expression(text);
    }
    return this.findings;
  }

  private say(rule: string, message: string): void {
    this.findings.push({ rule, title: this.title, message });
  }

  private inline(text: string): void {
    if (EXPRESSION.test(text) || METRIC.test(text)) this.expression(text);
    const [, method, target = ''] = OPERATION.exec(text) ?? [];
    if (method !== undefined) this.operation(method, target.split('?')[0] ?? '');
  }

  // --- Metrics and the API ---

  private expression(text: string): void {
    for (const name of metricsOf(text)) {
      if (!this.hasMetric(name)) this.say('metrics', `nothing shows ${name}`);
    }
    for (const [, name = ''] of text.matchAll(/\balertname="([^"]+)"/g)) {
      if (!this.known.alerts.has(name)) this.say('metrics', `no alert is called ${name}`);
    }
  }

  private hasMetric(name: string): boolean {
    const { own_metrics, other_metrics } = this.known;
    return other_metrics.has(name) || own_metrics.has(bareMetric(name));
  }

  private operation(method: string, target: string): void {
    const wanted = partsOf(target.replace(/^\/api\/v1/, ''));
    const found = this.known.operations.some((operation) => {
      const [name, template = ''] = operation.split(' ');
      const parts = partsOf(template);
      return (
        name === method &&
        parts.length === wanted.length &&
        parts.every((part, index) => part.startsWith('{') || part === wanted[index])
      );
    });
    if (!found) this.say('operations', `the API has no ${method} ${target}`);
  }

  /** What is written in a container needs a place there. */
  private writes(text: string): void {
    if (!WRITES_FILES.test(text)) return;
    const folder = WRITES_TO.exec(text)?.[1];
    for (const { title, pod, serves, labels } of this.workloads) {
      if (!serves || labels['app.kubernetes.io/component'] !== 'server') continue;
      for (const { securityContext, volumeMounts = [] } of pod.containers) {
        const mounted = volumeMounts.some(
          ({ mountPath, name }) =>
            folder?.startsWith(mountPath) &&
            (pod.volumes ?? []).some((volume) => volume.name === name && 'emptyDir' in volume),
        );
        if (securityContext?.readOnlyRootFilesystem === true && !mounted) {
          this.say('writes', `nothing can be written in ${title}: ${text}`);
        }
      }
    }
  }

  // --- Commands ---

  private script(text: string): void {
    let before: Words = [];
    for (const words of commandsOf(text)) {
      // Services are alike: one stands for all.
      const command = words.map((word) => word.replaceAll('SERVICE', 'identity'));
      this.command(command);
      if (command[0] === 'grep') this.pattern(before, command);
      if (!['head', 'tail'].includes(command[0] ?? '')) before = command;
    }
  }

  private command(words: Words): void {
    const [program = '', ...rest] = words;
    if (BUILTINS.has(program)) return;
    if (program.startsWith('deploy/')) this.ownScript(program, rest);
    else if (program === 'npm') this.npm(rest);
    else if (Object.hasOwn(OWN_FUNCTIONS, program)) this.ownFunction(program, rest);
    else if (program === 'kubectl' || program === 'cmctl') this.onCluster(words);
    else if (Object.hasOwn(TOOLS, program)) this.parse(program, rest);
    else if (!['docker', 'node'].includes(program)) {
      this.say('commands', `${program} is nothing that we name a version of`);
    }
  }

  private npm(words: Words): void {
    const [verb, ...rest] = words;
    const script = rest.find((word) => !word.startsWith('-'));
    if (verb !== 'run' || script === undefined) return;
    if (!this.known.scripts.has(script)) this.say('commands', `there is no npm run ${script}`);
    const own = rest.slice(rest.indexOf('--') + 1);
    if (script === 'service' && rest.includes('--')) this.serviceCommand(own);
  }

  private ownFunction(name: string, words: Words): void {
    const [service = ''] = words;
    if (words.length < (OWN_FUNCTIONS[name] ?? 0)) this.say('commands', `${name} needs more words`);
    if (!PLACEHOLDER.test(service) && !this.known.sources.has(service)) {
      this.say('commands', `there is no service ${service}`);
    }
    if (name === 'credit') this.serviceCommand(words);
  }

  /** What a service's own main file is called with. */
  private serviceCommand([service = '', command = '', ...rest]: Words): void {
    if (PLACEHOLDER.test(service) || PLACEHOLDER.test(command)) return;
    const own = this.known.sources.get(service) ?? '';
    const all = own.includes('runService(')
      ? `${own}\n${this.known.sources.get('packages') ?? ''}`
      : '';
    if (!all.includes(`'${command}'`) && !all.includes(` ${command}(`)) {
      this.say('commands', `${service} has no command ${command}`);
      return;
    }
    for (const flag of rest.filter((word) => word.startsWith('--'))) {
      if (!all.includes(` ${flag.slice(2).split('=')[0]}: { type:`)) {
        this.say('flags', `${service} ${command} knows no ${flag}`);
      }
    }
  }

  private ownScript(file: string, words: Words): void {
    if (!existsSync(path.join(ROOT, file))) {
      this.say('commands', `there is no ${file}`);
      return;
    }
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    for (const word of words) {
      const flag = word.split('=')[0] ?? '';
      if (word.startsWith('--') && !text.includes(flag)) {
        this.say('flags', `${file} knows no ${flag}`);
      }
    }
    const [overlay, step] = words.filter((word) => !word.startsWith('--'));
    if (!file.endsWith('/apply.sh') || overlay === undefined) return;
    if (!existsSync(path.join(ROOT, 'deploy/k8s/overlays', overlay))) {
      this.say('commands', `there is no overlay ${overlay}`);
    }
    const steps = /\[([a-z|]+)\]/.exec(text)?.[1]?.split('|') ?? [];
    if (step !== undefined && !steps.includes(step)) {
      this.say('commands', `${file} has no step ${step}`);
    }
  }

  /** What is looked for in metrics and logs is something that is shown or said. */
  private pattern(before: Words, [, ...words]: Words): void {
    const pattern = words.find((word) => !word.startsWith('-')) ?? '';
    const source = [...this.known.sources.values()];
    if (before[0] === 'metrics') {
      const [names = ''] = pattern.split(/\.\*|"/);
      const wanted = [...names.matchAll(/[a-z_]{4,}/g)].map(([name]) => bareMetric(name));
      for (const name of wanted.map((text) => text.replace(/^_|_$/g, ''))) {
        if (![...this.known.own_metrics].some((metric) => metric.includes(name))) {
          this.say('metrics', `nothing shows ${name}`);
        }
      }
    } else if (before[0] === 'logs') {
      for (const text of pattern.split('|')) {
        if (PLACEHOLDER.test(text) || text.includes('"') || text.includes('(')) continue;
        if (!source.some((code) => code.includes(text.replace(/[)]/g, '')))) {
          this.say('logs', `nothing says "${text}"`);
        }
      }
    }
  }

  /** A command's other words, and its flags with what they are given; says which it does not know. */
  private parse(tool: string, words: Words) {
    const { commands = {}, everywhere = [] } = TOOLS[tool] ?? {};
    const flags = new Map<string, string>();
    const others: string[] = [];
    const known = () => [...everywhere, ...(commands[nameOf(commands, others) ?? ''] ?? [])];
    const given = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
    const unknown: string[] = [];
    for (let index = 0; index < given.length; index += 1) {
      const word = given[index] ?? '';
      if (!word.startsWith('-') || word === '-' || /^-\d+$/.test(word)) {
        others.push(word);
        continue;
      }
      const [flag = '', ...value] = word.split('=');
      if (known().includes(`${flag}=`)) {
        if (!word.includes('=')) index += 1;
        flags.set(flag, word.includes('=') ? value.join('=') : (given[index] ?? ''));
      } else {
        flags.set(flag, value.join('='));
        if (!known().includes(flag)) unknown.push(flag);
      }
    }
    const command = nameOf(commands, others);
    if (command === undefined) {
      this.say('commands', `${tool} ${others[0] ?? ''} is not in the table of what we use`);
    }
    for (const flag of unknown) {
      this.say('flags', `${tool} ${command ?? ''} knows no ${flag} that we have looked up`);
    }
    const rest = others.slice(
      command === undefined || command === '' ? 0 : command.split(' ').length,
    );
    return { command, rest, flags, behind: words.slice(given.length + 1) };
  }

  // --- On a cluster ---

  private onCluster([program = '', ...words]: Words): void {
    const plugin = words.findIndex((word) => Object.hasOwn(TOOLS, `${program} ${word}`));
    if (plugin > 0 && words.slice(0, plugin).every((word, at) => at % 2 === 1 || word[0] === '-')) {
      this.say('flags', `nothing may stand before the plugin: ${program} ${words.join(' ')}`);
      return;
    }
    const tool = plugin === 0 ? `${program} ${words[0]}` : program;
    const { command, rest, flags, behind } = this.parse(
      tool,
      plugin === 0 ? words.slice(1) : words,
    );
    const namespace = flags.get('-n') ?? flags.get('--namespace');
    const ours = ofKind(this.known.manifests, 'Namespace').map(({ metadata }) => metadata.name);
    if (namespace !== undefined && OTHER_NAMESPACES.has(namespace)) return;
    if (namespace !== undefined && !ours.includes(namespace)) {
      this.say('objects', `there is no namespace ${namespace}`);
    }
    if (tool === 'kubectl cnpg') this.onDatabase(command, rest, flags);
    else if (tool === 'cmctl') for (const name of rest) this.exists('Certificate', name);
    else this.kubectl(command, rest, flags, behind);
  }

  private onDatabase(command: string | undefined, [name = '']: Words, flags: Flags): void {
    this.exists('Cluster', name);
    // Of which server it is goes by the alert.
    if (command !== 'backup' || PLACEHOLDER.test(name)) return;
    const schedule = ofKind(this.known.manifests, 'ScheduledBackup').find(
      ({ spec }) => (spec as { cluster: { name: string } }).cluster.name === name,
    );
    const { method, pluginConfiguration } = (schedule?.spec ?? {}) as {
      method?: string;
      pluginConfiguration?: { name: string };
    };
    const wanted = pluginConfiguration?.name;
    if (
      (flags.get('--method') ?? flags.get('-m')) !== method ||
      flags.get('--plugin-name') !== wanted
    ) {
      this.say('backups', `${name} is backed up by --method=${method} --plugin-name=${wanted}`);
    }
  }

  private kubectl(command: string | undefined, rest: Words, flags: Flags, behind: Words): void {
    const [types = ''] = command === 'logs' || command?.startsWith('top') ? ['pod'] : rest;
    this.selector(flags.get('-l') ?? flags.get('--selector'), types);
    switch (command) {
      case 'annotate':
        for (const word of rest) this.annotation(rest[0] ?? '', word);
        if (!flags.has('--all')) this.objects(rest.slice(0, 2));
        break;
      case 'apply':
      case 'diff':
        this.apply(flags);
        break;
      case 'create job':
        this.objects([flags.get('--from') ?? '']);
        break;
      case 'exec':
        this.inside(rest[0] ?? '', flags.get('-c'), behind);
        break;
      case 'get':
        this.raw(flags.get('--raw') ?? '');
        this.objects(rest);
        break;
      case 'patch':
        this.objects(rest);
        this.patch(rest, flags.get('-p') ?? '');
        break;
      case 'scale':
        this.objects(rest);
        this.scale(rest, flags);
        break;
      case 'logs':
      case 'port-forward':
        this.objects(rest.slice(0, 1).map((word) => (word.includes('/') ? word : `pod/${word}`)));
        break;
      case 'delete':
      case 'describe':
      case 'edit':
      case 'rollout history':
      case 'rollout restart':
      case 'rollout status':
      case 'rollout undo':
      case 'wait':
        this.objects(rest);
        break;
      default:
    }
  }

  /** `cronjob reconcile`, `deploy/gateway`, `backup,scheduledbackup`. */
  private objects([first = '', ...names]: Words): void {
    if (first === '' || PLACEHOLDER.test(first)) return;
    const pairs = [first, ...names].map((word) => word.split('/'));
    for (const [type = '', name] of pairs[0]?.length === 2 ? pairs : [[first]]) {
      for (const part of type.split(',')) {
        const kind = KINDS[part];
        if (kind === undefined) this.say('objects', `there are no objects of type ${part}`);
        else if (name !== undefined) this.exists(kind, name);
        else for (const one of pairs[0]?.length === 2 ? [] : names) this.exists(kind, one);
      }
    }
  }

  private exists(kind: string, name: string): void {
    if (PLACEHOLDER.test(name) || this.namesOf(kind).includes(name)) return;
    if (this.instancesOf(kind).includes(name.replace(/-[1-9]\d*(?=-wal$|$)/, '-N'))) return;
    this.say('objects', `there is no ${kind} ${name}`);
  }

  /**
   * The pods of databases and their volumes, of which the operator never uses a number again:
   * https://cloudnative-pg.io/documentation/1.21/failure_modes/
   */
  private instancesOf(kind: string): string[] {
    return ofKind(this.known.manifests, 'Cluster').flatMap(({ metadata, spec }) => {
      const instance = `${metadata.name}-N`;
      if (kind === 'Pod') return [instance];
      if (kind !== 'PersistentVolumeClaim') return [];
      return (spec as { walStorage?: object }).walStorage === undefined
        ? [instance]
        : [instance, `${instance}-wal`];
    });
  }

  private namesOf(kind: string): string[] {
    const { manifests } = this.known;
    const named = ofKind(manifests, kind).map(({ metadata }) => metadata.name);
    const sets = ofKind(manifests, 'StatefulSet').map(({ metadata, spec }) => ({
      name: metadata.name,
      ...(spec as {
        replicas: number;
        volumeClaimTemplates?: Array<{ metadata: { name: string } }>;
      }),
    }));
    const pods = sets.flatMap(({ name, replicas }) =>
      [...Array(replicas).keys(), 'N'].map((index) => `${name}-${index}`),
    );
    switch (kind) {
      case 'Pod':
        return pods;
      case 'PersistentVolumeClaim':
        return [
          ...named,
          ...sets.flatMap(({ name, volumeClaimTemplates = [] }) =>
            volumeClaimTemplates.flatMap((template) =>
              pods
                .filter((pod) => pod.startsWith(`${name}-`))
                .map((pod) => `${template.metadata.name}-${pod}`),
            ),
          ),
        ];
      case 'Secret':
        return [
          ...named,
          'identity-bootstrap',
          ...ofKind(manifests, 'ExternalSecret').map(({ metadata }) => metadata.name),
          ...ofKind(manifests, 'Certificate').map(
            ({ spec }) => (spec as { secretName: string }).secretName,
          ),
          // cert-manager makes what the way in shows: https://cert-manager.io/docs/usage/gateway/
          ...ofKind(manifests, 'Gateway').flatMap(({ spec }) =>
            (spec as GatewaySpec).listeners.flatMap(({ tls }) =>
              (tls?.certificateRefs ?? []).map(({ name }) => name),
            ),
          ),
        ];
      default:
        return named;
    }
  }

  /** Of each type that is asked for there is an object with the labels: `pods`, `cronjob,pod`. */
  private selector(text: string | undefined, types: string): void {
    if (text === undefined || PLACEHOLDER.test(text) || /[ ()]/.test(text)) return;
    const matchLabels = Object.fromEntries(text.split(',').map((pair) => pair.split('=')));
    for (const type of types.split(',')) {
      const kind = KINDS[type];
      if (!this.labelsOf(kind).some((labels) => selects({ matchLabels }, labels))) {
        this.say('objects', `no ${kind ?? 'object'} has the labels ${text}`);
      }
    }
  }

  /** The labels of all objects of a kind, those too that others make of what we deploy. */
  private labelsOf(kind: string | undefined): Labels[] {
    const { manifests } = this.known;
    const own = (all: readonly Manifest[]) => all.map(({ metadata }) => metadata.labels ?? {});
    const databases = ofKind(manifests, 'Cluster').map(({ metadata }) => metadata.name);
    switch (kind) {
      case undefined:
        return own(manifests);
      case 'Pod':
        return [
          ...this.workloads.map(({ labels }) => labels),
          // https://cloudnative-pg.io/docs/1.29/labels_annotations/
          ...databases.flatMap((name) =>
            ['primary', 'replica'].map((role) => ({
              'cnpg.io/cluster': name,
              'cnpg.io/instanceRole': role,
            })),
          ),
        ];
      case 'PersistentVolumeClaim':
        return [
          ...ofKind(manifests, 'StatefulSet').map(
            ({ spec }) => (spec as { selector: { matchLabels: Labels } }).selector.matchLabels,
          ),
          ...databases.map((name) => ({ 'cnpg.io/cluster': name })),
        ];
      case 'EndpointSlice':
        return ofKind(manifests, 'Service').map(({ metadata }) => ({
          'kubernetes.io/service-name': metadata.name,
        }));
      default:
        return own(ofKind(manifests, kind));
    }
  }

  /** The Kubernetes API is no pod of ours: policies shut it out like anybody else. */
  private raw(target: string): void {
    if (!PROXIED.test(target)) return;
    const policies = ofKind(this.known.manifests, 'NetworkPolicy').map(
      ({ spec }) => spec as NetworkPolicySpec,
    );
    const open = policies.some(({ ingress = [] }) =>
      ingress.some(({ from }) => from === undefined),
    );
    if (policies.length > 0 && !open) {
      this.say('policies', `no policy lets the Kubernetes API reach a pod: ${target}`);
    }
  }

  private annotation(type: string, word: string): void {
    const [assigned = ''] = word.split('=');
    const key = assigned.endsWith('-') ? assigned.slice(0, -1) : assigned;
    if (!key.includes('/') || !key.includes('.')) return;
    if (ANNOTATIONS[key] !== KINDS[type]) this.say('objects', `nobody reads ${key} of a ${type}`);
  }

  private apply(flags: Flags): void {
    for (const flag of ['-f', '-k']) {
      const file = flags.get(flag);
      if (file !== undefined && !existsSync(path.join(ROOT, file))) {
        this.say('commands', `there is no ${file}`);
      }
    }
    if (!flags.has('--server-side') || flags.get('--field-manager') !== 'credit-network') {
      this.say(
        'field manager',
        'what apply.sh applies has one: --server-side --field-manager=credit-network',
      );
    }
  }

  /** An autoscaler sets the number that it wants within seconds, unless that was 0. */
  private scale(rest: Words, flags: Flags): void {
    const scaled = new Set(
      ['HorizontalPodAutoscaler', 'ScaledObject'].flatMap((kind) =>
        ofKind(this.known.manifests, kind).map(
          ({ spec }) => (spec as { scaleTargetRef: { name: string } }).scaleTargetRef.name,
        ),
      ),
    );
    const [first = '', ...names] = rest;
    for (const name of first.includes('/') ? [first.split('/')[1] ?? ''] : names) {
      if (flags.get('--replicas') === '0') this.asleep.add(name);
      else if ((scaled.has(name) || PLACEHOLDER.test(name)) && !this.asleep.has(name)) {
        this.say('autoscalers', `${name} has an autoscaler that undoes this`);
      }
    }
    if (flags.has('--all') && flags.get('--replicas') !== '0') {
      this.say('autoscalers', 'autoscalers undo this');
    }
  }

  /** A patch changes what is there to be changed. */
  private patch([type = '', name = '']: Words, text: string): void {
    const object = this.known.manifests.find(
      ({ kind, metadata }) =>
        kind === KINDS[type] && (metadata.name === name || PLACEHOLDER.test(name)),
    );
    let patch: unknown;
    try {
      patch = JSON.parse(text.replace(/\$\d|(?<=:)N(?=\})/g, '1'));
    } catch {
      this.say('patches', `${text} is not JSON`);
      return;
    }
    const missing = object === undefined ? undefined : firstMissing(patch, object);
    if (missing !== undefined) this.say('patches', `${type} ${name} has no ${missing}`);
  }

  /** What is run inside a container is in its image, and asks where the pod listens. */
  private inside(target: string, container: string | undefined, words: Words): void {
    const family = familyOf(target, container);
    if (target.includes('/')) this.objects([target]);
    else if (family === 'nats') this.exists('Pod', target);
    const [program = '', script, ...args] = words;
    if (program === 'nats') {
      this.say('stream', 'the Job "stream" sets back at every release what is changed by hand');
    } else if (!IN_CONTAINERS[family].includes(program)) {
      this.say('commands', `${program} is in no image of a ${family}`);
    }
    if (script === '/app/main.js') this.serviceCommand([target.split('/')[1] ?? '', ...args]);
    const ports = this.workloads
      .filter(({ labels }) =>
        family === 'service'
          ? labels['app.kubernetes.io/component'] === 'server'
          : labels['app.kubernetes.io/name'] === (family === 'probe' ? PROBE : family),
      )
      .flatMap(({ pod }) => [...pod.containers, ...(pod.initContainers ?? [])])
      .flatMap(({ ports: open = [] }) => open)
      .map(({ containerPort }) => containerPort);
    for (const [, port] of words.join(' ').matchAll(/http:\/\/127\.0\.0\.1:(\d+)/g)) {
      if (!ports.includes(Number(port))) this.say('policies', `no ${family} listens on ${port}`);
    }
  }
}

type Flags = ReadonlyMap<string, string>;
type Labels = Readonly<Record<string, string>>;

interface GatewaySpec {
  listeners: Array<{ tls?: { certificateRefs?: Array<{ name: string }> } }>;
}

/** Whose image a container has. */
function familyOf(target: string, container: string | undefined): keyof typeof IN_CONTAINERS {
  if (container === 'postgres') return 'postgres';
  if (target.startsWith('nats-')) return 'nats';
  return target.endsWith(`/${PROBE}`) ? 'probe' : 'service';
}

function isProgram(word: string): boolean {
  return (
    Object.hasOwn(TOOLS, word) ||
    Object.hasOwn(OWN_FUNCTIONS, word) ||
    ['npm', 'nats', 'psql', 'wget', 'helm'].includes(word) ||
    /^deploy\/[\w/-]+\.sh$/.test(word)
  );
}

/** The longest command that the words begin with. */
function nameOf(
  commands: Readonly<Record<string, unknown>>,
  words: readonly string[],
): string | undefined {
  for (const length of [3, 2, 1, 0]) {
    const name = words.slice(0, length).join(' ');
    if (Object.hasOwn(commands, name)) return name;
  }
  return undefined;
}

/** The path of what a patch has and an object has not. */
function firstMissing(patch: unknown, object: unknown, at = ''): string | undefined {
  if (typeof patch !== 'object' || patch === null) return undefined;
  for (const [key, value] of Object.entries(patch)) {
    const there = (object as Record<string, unknown>)[key];
    // What may be absent, since it has a default.
    if (there === undefined && key === 'suspend') continue;
    if (there === undefined) return `${at}${key}`;
    const deeper = firstMissing(value, there, `${at}${key}.`);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

function partsOf(target: string): string[] {
  return target.split('/').filter((part) => part !== '');
}
