import type { CloudField } from '../protocol/turn.js';
import type { PackageName } from './packages/installed_packages.js';

/** A server known by its name that speaks as OpenAI does. */
export interface ServerPreset {
  name: string;
  /** Null where each person has one of their own. */
  address: string | null;
  addressVariable: string;
  keyVariable: string;
  keyHeader: string;
  needsKey: 'always' | 'at_own_address' | 'never';
  /** How it differs from the plain dialect. */
  dialect: { hasResponses?: boolean; thinkingOff?: 'none'; variant?: 'mistral' };
  /** Its name in the price table; null where prices are not listed. */
  table: string | null;
  defaultModel: string | null;
  aliases: Readonly<Record<string, string>>;
  modelNames: RegExp | null;
  notRunning: string | null;
  noModel: ((model: string) => string) | null;
}

const HOSTED = {
  keyHeader: 'authorization',
  needsKey: 'always',
  dialect: {},
  defaultModel: null,
  aliases: {},
  modelNames: null,
  notRunning: null,
  noModel: null,
} as const;

/** On the person's own machine; its models are known when it runs. */
const LOCAL = { ...HOSTED, needsKey: 'never', table: null } as const;

export const SERVER_PRESETS: readonly ServerPreset[] = [
  {
    ...HOSTED,
    name: 'deepseek',
    address: 'https://api.deepseek.com',
    addressVariable: 'DEEPSEEK_BASE_URL',
    keyVariable: 'DEEPSEEK_API_KEY',
    table: 'deepseek',
    defaultModel: 'deepseek',
    aliases: { deepseek: 'deepseek-v4-pro' },
    modelNames: /^deepseek-/,
  },
  {
    ...HOSTED,
    name: 'xai',
    address: 'https://api.x.ai/v1',
    addressVariable: 'XAI_BASE_URL',
    keyVariable: 'XAI_API_KEY',
    table: 'x-ai',
    defaultModel: 'grok',
    aliases: { grok: 'grok-4.6' },
    modelNames: /^grok-/,
  },
  {
    ...HOSTED,
    name: 'mistral',
    address: 'https://api.mistral.ai/v1',
    addressVariable: 'MISTRAL_BASE_URL',
    keyVariable: 'MISTRAL_API_KEY',
    dialect: { variant: 'mistral' },
    table: 'mistral',
    defaultModel: 'mistral-medium-latest',
    modelNames: /^(mistral|ministral|magistral|devstral|codestral)-/,
  },
  {
    ...HOSTED,
    name: 'openrouter',
    address: 'https://openrouter.ai/api/v1',
    addressVariable: 'OPENROUTER_BASE_URL',
    keyVariable: 'OPENROUTER_API_KEY',
    dialect: { thinkingOff: 'none' },
    table: 'openrouter',
  },
  {
    ...HOSTED,
    name: 'groq',
    address: 'https://api.groq.com/openai/v1',
    addressVariable: 'GROQ_BASE_URL',
    keyVariable: 'GROQ_API_KEY',
    table: 'groq',
  },
  {
    ...HOSTED,
    name: 'azure',
    address: null,
    addressVariable: 'AZURE_OPENAI_ENDPOINT',
    keyVariable: 'AZURE_OPENAI_API_KEY',
    keyHeader: 'api-key',
    dialect: { hasResponses: true },
    table: null,
    noModel: () => 'the model is the name of your deployment',
  },
  {
    ...LOCAL,
    name: 'lmstudio',
    address: 'http://127.0.0.1:1234/v1',
    addressVariable: 'LMSTUDIO_BASE_URL',
    keyVariable: 'LMSTUDIO_API_KEY',
    notRunning: 'start it with: lms server start',
    noModel: (model) => `run: lms get ${model}`,
  },
  {
    ...LOCAL,
    name: 'llamacpp',
    address: 'http://127.0.0.1:8080/v1',
    addressVariable: 'LLAMACPP_BASE_URL',
    keyVariable: 'LLAMACPP_API_KEY',
    notRunning: 'start it with: llama-server --jinja -m <file>',
  },
  {
    ...LOCAL,
    name: 'vllm',
    address: 'http://127.0.0.1:8000/v1',
    addressVariable: 'VLLM_BASE_URL',
    keyVariable: 'VLLM_API_KEY',
    notRunning: 'start it with: vllm serve <model> --enable-auto-tool-choice --tool-call-parser <parser>',
    noModel: (model) => `start it with: vllm serve ${model} --enable-auto-tool-choice --tool-call-parser <parser>`,
  },
];

/** A cloud that serves Anthropic's models by a variant of its SDK. */
export interface CloudPreset {
  name: 'bedrock' | 'vertex';
  package: PackageName;
  addressVariable: string;
  keyVariable: string;
  /** The region where none is named. */
  regionDefault: string;
  /** Its address in a region. */
  address(region: string): string;
  /** The hosts of its addresses. */
  hosts: RegExp;
  /** The environment variables with what its SDK is told, the strongest first. */
  variables: Partial<Readonly<Record<CloudField, readonly string[]>>>;
  /** Its name in the price table. */
  table: string;
  /** Its models that are known without its name. */
  modelNames: RegExp | null;
  noModel: string;
}

export const CLOUD_PRESETS: readonly CloudPreset[] = [
  {
    name: 'bedrock',
    package: '@anthropic-ai/bedrock-sdk',
    addressVariable: 'ANTHROPIC_BEDROCK_BASE_URL',
    keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
    regionDefault: 'us-east-1',
    address: (region) => `https://bedrock-runtime.${region}.amazonaws.com`,
    hosts: /^bedrock-runtime\.[a-z\d-]+\.amazonaws\.com$/,
    variables: {
      region: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
      profile: ['AWS_PROFILE'],
      access_key_id: ['AWS_ACCESS_KEY_ID'],
      secret_access_key: ['AWS_SECRET_ACCESS_KEY'],
      session_token: ['AWS_SESSION_TOKEN'],
    },
    table: 'aws',
    modelNames: /^([a-z]+(-[a-z]+)?\.)?anthropic\.claude-/,
    noModel:
      'newer models have ids with a region before them, as in global.anthropic.claude-… or us.anthropic.claude-…',
  },
  {
    name: 'vertex',
    package: '@anthropic-ai/vertex-sdk',
    addressVariable: 'ANTHROPIC_VERTEX_BASE_URL',
    keyVariable: 'ANTHROPIC_VERTEX_ACCESS_TOKEN',
    regionDefault: 'global',
    address: vertexAddress,
    hosts: /^([a-z\d-]+-)?aiplatform(\.(us|eu)\.rep)?\.googleapis\.com$/,
    variables: {
      region: ['CLOUD_ML_REGION'],
      project: ['ANTHROPIC_VERTEX_PROJECT_ID', 'GOOGLE_CLOUD_PROJECT'],
      credentials_file: ['GOOGLE_APPLICATION_CREDENTIALS'],
    },
    table: 'google',
    modelNames: null,
    noModel: 'enable the model in the Model Garden of your project, or choose another region',
  },
];

/** Some regions are the world or a continent, and have names of their own. */
function vertexAddress(region: string): string {
  if (region === 'global') return 'https://aiplatform.googleapis.com/v1';
  if (region === 'us' || region === 'eu') return `https://aiplatform.${region}.rep.googleapis.com/v1`;
  return `https://${region}-aiplatform.googleapis.com/v1`;
}
