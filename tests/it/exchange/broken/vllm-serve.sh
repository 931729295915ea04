VLLM_LOGGING_LEVEL=INFO vllm serve Qwen/Qwen3-32B \
  --tensor-parallel-size 2 \
  --max-num-seqs=256 --max_num_batched_tokens 16K \
  --gpu-memory-utilization 0.92 --block-size 32 \
  --no-enable-prefix-caching \
  --kv-cache-dtype fp8 \
  --scheduling-policy priority \
  --speculative-config '{"method": "eagle3", "model": "org/draft", "num_speculative_tokens": many}' \
  --port 8000 --trust-remote-code
