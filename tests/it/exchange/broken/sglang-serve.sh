SGLANG_HICACHE_FILE_BACKEND_STORAGE_DIR=/mnt/hicache MOONCAKE_MASTER=10.0.0.7:50051 MOONCAKE_GLOBAL_SEGMENT_SIZE=64gb \
python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2 --dp-size 2 \
  --page-size 64 --chunked-prefill-size 8192 --max-running-requests 64 --mem-fraction-static 0.85 \
  --enable-hierarchical-cache --hicache-ratio 2 --hicache-size 0 --hicache-write-policy write_through_selective \
  --hicache-io-backend kernel --hicache-mem-layout page_first \
  --hicache-storage-backend mooncake --hicache-storage-prefetch-policy timeout \
  --hicache-storage-backend-extra-config '{"prefetch_threshold": -1, "prefetch_timeout_base": 0.5, "protocol": "rdma"}' \
  --radix-eviction-policy priority --schedule-policy lpm --kv-cache-dtype fp8_e5m2 \
  --context-length 32768 --host 0.0.0.0 --port 30000 --enable-metrics --trust-remote-code
