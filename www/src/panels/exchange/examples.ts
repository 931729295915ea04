// Texts to try the dialog of imports with: our own, as short as they can be.

export type Example = { readonly name: string; readonly title: string; readonly text: string };

export const EXAMPLES: readonly Example[] = [
  {
    name: 'epp.yaml',
    title: 'An EndpointPickerConfig of llm-d’s router',
    text: `apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: prefix-cache-scorer
- type: max-score-picker
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: queue-scorer
    weight: 2
  - pluginRef: kv-cache-utilization-scorer
    weight: 2
  - pluginRef: prefix-cache-scorer
    weight: 3
  - pluginRef: max-score-picker
`,
  },
  {
    name: 'serve.sh',
    title: 'A vllm serve command line',
    text: `vllm serve meta-llama/Llama-3.1-8B-Instruct \\
  --max-num-seqs 128 \\
  --max-num-batched-tokens 4096 \\
  --gpu-memory-utilization 0.92
`,
  },
  {
    name: 'hpa.yaml',
    title: 'A HorizontalPodAutoscaler',
    text: `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: fleet
spec:
  minReplicas: 2
  maxReplicas: 8
  metrics:
  - type: Pods
    pods:
      metric:
        name: vllm:num_requests_waiting
      target:
        type: AverageValue
        averageValue: "5"
`,
  },
];
